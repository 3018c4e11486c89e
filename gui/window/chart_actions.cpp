#include "gui/window/chart_actions.h"

#include "gui/charts/export_plot.h"
#include "gui/charts/plot_widget.h"
#include "gui/charts/shown_table.h"
#include "gui/pages/table_view.h"
#include "gui/window/save_dialog.h"
#include "planner/report/markup.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QMessageBox>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

namespace fabricast {
namespace {

PlotTitle titleOf(const PlotWidget& chart, const ChartAbout& about) {
    return {.title = chart.accessibleName().toStdString(), .subject = about.subject.toStdString()};
}

QLabel* chartWords(const PlotWidget& chart) {
    const QString about = QString::fromStdString(chart.describe());
    const QString name = chart.accessibleName();
    auto* words = new QLabel(about.startsWith(name) ? about : name + ": " + about);
    words->setObjectName("chartTable.words");
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return words;
}

/// The file that the user chose and `write` wrote; what goes wrong is shown.
QString saveAs(const QString& title,
               const QString& proposed,
               const QString& forms,
               QWidget* window,
               const std::function<Result<void>(const QString& file)>& write) {
    const QString file = askFileToSave(window, title, proposed, forms);
    if (file.isEmpty()) {
        return {};
    }
    const Result<void> done = write(file);
    if (!done) {
        QMessageBox::warning(window, "Fabricast", QString::fromStdString(done.error().text()));
    }
    return done ? file : QString();
}

/// "1,768" as 1768, "$0.0943" as 0.0943 and "33.3 %" as 33.3%: as a spreadsheet reads them.
std::string spreadsheetCell(const std::string& text) {
    static const QRegularExpression number(
        QStringLiteral("^([-+]?)\\$?(\\d{1,3}(?:,\\d{3})+|\\d+)(\\.\\d+)?( %)?$"));
    const QRegularExpressionMatch parts = number.match(QString::fromStdString(text));
    if (!parts.hasMatch()) {
        return text;
    }
    const QString whole = parts.captured(2).remove(QLatin1Char(','));
    const QString percent = parts.captured(4).trimmed();
    return (parts.captured(1) + whole + parts.captured(3) + percent).toStdString();
}

std::string spreadsheetText(Table table) {
    for (std::vector<std::string>& row : table.rows) {
        std::ranges::transform(row, row.begin(), spreadsheetCell);
    }
    return csvText(table);
}

}  // namespace

QString fileNameOf(const QString& page, const QString& model) {
    QString name = model.isEmpty() ? page : page + "-" + model;
    return name.toLower().replace(QRegularExpression("[^a-z0-9._-]+"), "-");
}

Result<void> writeTable(const Table& table, const QString& file) {
    const bool isMarkdown = file.endsWith(".md", Qt::CaseInsensitive);
    if (!isMarkdown && !file.endsWith(".csv", Qt::CaseInsensitive)) {
        return fail(Error::Code::BadInput,
                    file.toStdString(),
                    "a table is not written as this",
                    "a name that ends in .csv or .md");
    }
    const std::string text =
        isMarkdown ? markdownEscaped(markdownText(table)) : spreadsheetText(table);
    return writeExport(file, QByteArray::fromStdString(text));
}

QString exportTable(const Table& table, const ChartAbout& about, QWidget* window) {
    return saveAs("Save the table",
                  fileNameOf(about.page, about.model) + ".csv",
                  "Tables (*.csv);;Markdown (*.md)",
                  window,
                  [&](const QString& file) { return writeTable(table, file); });
}

void copyTable(const Table& table) {
    QApplication::clipboard()->setText(
        QString::fromStdString(markdownEscaped(markdownText(table))));
}

QString exportChart(const PlotWidget& chart, const ChartAbout& about, QWidget* window) {
    return saveAs(
        "Save the chart",
        fileNameOf(about.page, about.model) + ".png",
        "Pictures (*.png *.svg *.pdf);;Table (*.csv)",
        window,
        [&](const QString& file) { return exportPlot(chart, file, titleOf(chart, about)); });
}

void copyChart(const PlotWidget& chart, const ChartAbout& about) {
    constexpr double kSharp = 2.0;
    QApplication::clipboard()->setImage(
        plotImage(chart, chart.wholeSize(), kSharp, titleOf(chart, about)));
}

void showChartTable(const PlotWidget& chart, QWidget* window) {
    auto* dialog = new QDialog(window);
    dialog->setObjectName("chartTable");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(chart.accessibleName());
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(chartWords(chart));
    auto* table = new ReportTableView("chartTable.table");
    table->setTable(shownTable(chart.table()));
    table->setAccessibleName(chart.accessibleName());
    column->addWidget(table, 1);
    dialog->resize(720, 480);
    dialog->open();
}

}  // namespace fabricast
