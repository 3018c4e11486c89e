#include "gui/window/chart_table.h"

#include "gui/charts/plot_widget.h"
#include "gui/pages/table_view.h"

#include <QLabel>
#include <QVBoxLayout>

namespace fabricast {

ChartTable::ChartTable(const PlotWidget& chart, QWidget* parent) : QDialog(parent) {
    setObjectName("chartTable");
    setWindowTitle(chart.accessibleName());
    auto* column = new QVBoxLayout(this);
    const QString about = QString::fromStdString(chart.describe());
    const QString name = chart.accessibleName();
    auto* words = new QLabel(about.startsWith(name) ? about : name + ": " + about);
    words->setObjectName("chartTable.words");
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(words);
    auto* table = new ReportTableView("chartTable.table");
    table->setTable(chart.table());
    table->setAccessibleName(chart.accessibleName());
    column->addWidget(table, 1);
    resize(720, 480);
}

}  // namespace fabricast
