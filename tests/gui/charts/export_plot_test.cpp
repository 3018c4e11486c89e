#include "gui/charts/export_plot.h"

#include "gui/charts/strip_runs.h"
#include "gui/charts/svg_canvas.h"
#include "gui/charts/timeline_widget.h"
#include "gui/charts/tornado_widget.h"
#include "tests/gui/charts/all_charts.h"
#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace fabricast {
namespace {

const QSizeF kExportedSize(640, 360);

/// How often each element occurs; empty if the text is not XML.
std::map<std::string, int> elementsOf(const std::string& text) {
    std::map<std::string, int> elements;
    QXmlStreamReader reader(QString::fromStdString(text));
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement) {
            ++elements[reader.name().toString().toStdString()];
        }
    }
    EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
    return reader.hasError() ? std::map<std::string, int>() : elements;
}

TEST(ExportOfEveryChart, IsSvgWithTitleAndDescription) {
    for (const auto& [name, plot] : allCharts()) {
        const std::string text = plotSvg(*plot, kExportedSize);
        std::map<std::string, int> elements = elementsOf(text);
        EXPECT_EQ(elements["svg"], 1) << name;
        EXPECT_EQ(elements["title"], 1) << name;
        EXPECT_EQ(elements["desc"], 1) << name;
        EXPECT_GT(elements["text"], 4) << name;
        EXPECT_EQ(text.find("nan"), std::string::npos) << name;
        EXPECT_EQ(text.find("inf"), std::string::npos) << name;
        EXPECT_EQ(text, plotSvg(*plot, kExportedSize)) << "the same chart gives the same bytes";
    }
}

TEST(ExportOfEveryChart, IsPdf) {
    for (const auto& [name, plot] : allCharts()) {
        const QByteArray bytes = plotPdf(*plot, kExportedSize);
        EXPECT_EQ(bytes, plotPdf(*plot, kExportedSize)) << "the same whenever it is written";
        EXPECT_FALSE(bytes.contains("/CreationDate"));
        EXPECT_TRUE(bytes.startsWith("%PDF-")) << name;
        EXPECT_TRUE(bytes.trimmed().endsWith("%%EOF")) << name;
        EXPECT_TRUE(bytes.contains("/MediaBox [0 0 480.000000 270.000000]"))
            << name << ": 640 x 360 pixels";
    }
}

TEST(ExportOfEveryChart, IsAnImageOfManyColoursInEachTheme) {
    for (const auto& [name, plot] : allCharts()) {
        std::array<QRgb, 2> pages{};
        for (const bool dark : {false, true}) {
            plot->setTheme(dark ? darkChartTheme() : lightChartTheme());
            const QImage image = plotImage(*plot, kExportedSize, 1.5);
            EXPECT_EQ(image.size(), QSize(960, 540)) << name;
            std::set<QRgb> colours;
            for (int x = 0; x < image.width(); x += 3) {
                for (int y = 0; y < image.height(); y += 3) {
                    colours.insert(image.pixel(x, y));
                }
            }
            EXPECT_GT(colours.size(), 12U) << name;
            pages[dark ? 1 : 0] = image.pixel(1, 1);
        }
        EXPECT_EQ(pages[0], lightChartTheme().page.rgb()) << name;
        EXPECT_EQ(pages[1], darkChartTheme().page.rgb()) << name;
    }
}

TEST(ExportOfEveryChart, IsCsvWithAsManyCellsInEachRow) {
    for (const auto& [name, plot] : allCharts()) {
        const Table table = plot->table();
        EXPECT_FALSE(table.rows.empty()) << name;
        for (const std::vector<std::string>& row : table.rows) {
            ASSERT_EQ(row.size(), table.columns.size()) << name;
        }
        EXPECT_EQ(std::ranges::count(plotCsv(*plot), '\n'), std::ssize(table.rows) + 1) << name;
    }
}

TEST(ExportPlot, WritesTheKindThatTheNameEndsIn) {
    const QTemporaryDir folder;
    TornadoWidget plot;
    plot.setValues(sampleTornado());
    plot.resize(300, 200);
    const std::map<std::string, QByteArray> starts = {
        {"png", "\x89PNG"}, {"svg", "<svg"}, {"pdf", "%PDF"}, {"csv", "what,"}};
    for (const auto& [kind, start] : starts) {
        QFile file(folder.filePath(QString::fromStdString("chart." + kind)));
        ASSERT_TRUE(exportPlot(plot, file.fileName()).has_value()) << kind;
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_TRUE(file.readAll().startsWith(start)) << kind;
    }
    EXPECT_EQ(QImage(folder.filePath("chart.png")).size(), QSize(600, 400)) << "for small pixels";
}

TEST(ExportPlot, HasItsTitleAbove) {
    const PlotTitle title{.title = "What matters", .subject = "gpt2 on 4x-rtx-4090"};
    for (const auto& [name, plot] : allCharts()) {
        const std::string text = plotSvg(*plot, kExportedSize, title);
        EXPECT_NE(text.find(">What matters</text>"), std::string::npos) << name;
        EXPECT_NE(text.find(">gpt2 on 4x-rtx-4090</text>"), std::string::npos) << name;
        const QSize size = plotImage(*plot, kExportedSize, 1.0, title).size();
        EXPECT_EQ(size.width(), 640) << name;
        EXPECT_GT(size.height(), 380) << name;
    }
}

/// The words of a picture, in order.
std::string wordsOf(const std::string& svg) {
    std::string words;
    QXmlStreamReader reader(QString::fromStdString(svg));
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"text") {
            words += reader.readElementText().toStdString() + " ";
        }
    }
    return words;
}

TEST(ExportPlot, HasAllWordsOfALongTitle) {
    const PlotTitle title{
        .title = "How much faster training is with twice as much of each thing",
        .subject =
            "llama-3.1-405b on 128 x dgx-h100 (1024 h100-sxm5-80gb) megatron tp=8 pp=16 "
            "dp=8 with full recomputation of every layer"};
    for (const double width : {260.0, 420.0, 640.0}) {
        TornadoWidget plot;
        plot.setValues(sampleTornado());
        const std::string words = wordsOf(plotSvg(plot, {width, 360.0}, title));
        EXPECT_EQ(words.rfind(title.title + " " + title.subject, 0), 0U) << words;
    }
}

TEST(ExportPlot, HasEveryLaneOfATimelineThatIsScrolled) {
    TimelineWidget plot;
    const TimelineValues values = sampleTimeline(60, 4);
    plot.setValues(values);
    plot.resize(640, 360);
    plot.showLane(30);
    const std::string words = wordsOf(plotSvg(plot, plot.wholeSize()));
    const QTemporaryDir folder;
    QFile file(folder.filePath("step.svg"));
    ASSERT_TRUE(exportPlot(plot, file.fileName()).has_value());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const std::string written = wordsOf(file.readAll().toStdString());
    for (const SpanLane& lane : values.lanes) {
        EXPECT_NE(written.find(lane.name.substr(0, lane.name.find(' ', 6))), std::string::npos)
            << lane.name;
    }
    EXPECT_EQ(written.find("lanes 1 to"), std::string::npos);
    EXPECT_EQ(written, words);
}

TEST(ExportPlot, SaysWhyItCannot) {
    const QTemporaryDir folder;
    TornadoWidget plot;
    plot.setValues(sampleTornado());
    EXPECT_EQ(exportPlot(plot, "chart.gif").error().text(),
              "chart.gif: a chart is not exported as \"gif\" (a name that ends in .png, .svg, .pdf "
              "or .csv)");
    const auto outcome = exportPlot(plot, folder.filePath("no/such/folder/chart.csv"));
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, Error::Code::Environment);
}

TEST(ExportPlot, CopiesAnImageAndATable) {
    TornadoWidget plot;
    plot.setValues(sampleTornado());
    plot.resize(300, 200);
    copyPlot(plot);
    const QMimeData* content = QGuiApplication::clipboard()->mimeData();
    EXPECT_EQ(qvariant_cast<QImage>(content->imageData()).size(), QSize(600, 400));
    EXPECT_EQ(content->text().toStdString(), plotCsv(plot));
}

TEST(SvgCanvas, EscapesWhatXmlWouldTakeForItsOwn) {
    SvgCanvas canvas({100, 50}, "a < b & c", "\"quoted\"");
    canvas.text({0, 10}, "<script>", {.colour = QColor(Qt::black)});
    QXmlStreamReader reader(QString::fromStdString(canvas.document()));
    QString words;
    while (!reader.atEnd()) {
        reader.readNext();
        words += reader.isCharacters() ? reader.text().toString() : QString();
    }
    EXPECT_FALSE(reader.hasError());
    EXPECT_TRUE(words.contains("a < b & c"));
    EXPECT_TRUE(words.contains("<script>"));
}

TEST(StripRuns, JoinNeighboursAndLeaveOutTheTransparent) {
    const std::array<QRgb, 6> colours = {
        0xff112233, 0xff112233, 0x00000000, 0xff445566, 0xff112233, 0x00000000};
    const std::vector<StripRun> runs = stripRuns({10, 20, 60, 5}, colours);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].box, QRectF(10, 20, 20, 5));
    EXPECT_EQ(runs[1].box, QRectF(40, 20, 10, 5));
    EXPECT_EQ(runs[1].colour, 0xff445566U);
    EXPECT_EQ(runs[2].box, QRectF(50, 20, 10, 5));
}

}  // namespace
}  // namespace fabricast
