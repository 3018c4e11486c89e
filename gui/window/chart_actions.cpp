#include "gui/window/chart_actions.h"

#include "gui/charts/export_plot.h"
#include "gui/charts/plot_widget.h"
#include "gui/window/chart_table.h"
#include "gui/window/save_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QMessageBox>

namespace fabricast {

void exportChart(const PlotWidget& chart, QWidget* window) {
    const QString file = askFileToSave(
        window, "Save the chart", "chart.png", "Pictures (*.png *.svg *.pdf);;Table (*.csv)");
    if (file.isEmpty()) {
        return;
    }
    if (const Result<void> done = exportPlot(chart, file); !done) {
        QMessageBox::warning(window, "Fabricast", QString::fromStdString(done.error().text()));
    }
}

void copyChart(const PlotWidget& chart) {
    constexpr double kSharp = 2.0;
    QApplication::clipboard()->setImage(plotImage(chart, chart.size(), kSharp));
}

void showChartTable(const PlotWidget& chart, QWidget* window) {
    auto* dialog = new ChartTable(chart, window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace fabricast
