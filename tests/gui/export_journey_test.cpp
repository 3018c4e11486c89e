// A whole study for others: one page, a document, a trace.
#include "gui/pages/table_view.h"
#include "gui/window/chart_actions.h"
#include "gui/window/study_exports.h"
#include "planner/report/subject_words.h"
#include "tests/gui/used_window.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>

namespace fabricast {
namespace export_journey_test {

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TEST(ExportJourney, AChartIsNamedByItsPageAndItsModel) {
    UsedWindow used({smallQuestion(), {.page = "memory"}});
    const ChartAbout about = used.window.chartAbout();
    EXPECT_EQ(fileNameOf(about.page, about.model), "memory-gpt2");
    EXPECT_TRUE(about.subject.startsWith("gpt2 on ")) << about.subject.toStdString();
    EXPECT_EQ(fileNameOf("timeline", "Org/Model 7B"), "timeline-org-model-7b");
    EXPECT_EQ(fileNameOf("layouts", ""), "layouts");
}

TEST(ExportJourney, TheReportIsOnePageWithEverySection) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    used.window.session().chooseB(1);
    ASSERT_TRUE(used.waits());
    const QString file = used.folder.filePath("study.html");
    used.window.exports().writeReport(file);
    EXPECT_TRUE(used.find<QLabel>("notice.words").text().contains("report"));
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QLabel>("notice.words").text(), "Written: " + file);
    const QByteArray page = bytesOf(file);
    EXPECT_TRUE(page.startsWith("<!DOCTYPE html>"));
    for (const char* words :
         {"critical path", "goodput", "The step over time", "fabricast plan -m gpt2"}) {
        EXPECT_TRUE(page.contains(words)) << words;
    }
    EXPECT_FALSE(page.contains("not shown"))
        << page.mid(page.indexOf("not shown"), 200).toStdString();
    for (const char* outside : {"src=\"http", "href=\"http", "<script"}) {
        EXPECT_FALSE(page.contains(outside)) << outside;
    }
}

QString titleOfReport(UsedWindow& used) {
    const QString file = used.folder.filePath("study.html");
    used.window.exports().writeReport(file);
    EXPECT_TRUE(used.waits());
    const QString page = QString::fromUtf8(bytesOf(file));
    const auto begin = page.indexOf("<title>");
    return page.mid(begin, page.indexOf("</title>") - begin);
}

TEST(ExportJourney, TheTitleOfTheReportIsOfTheLayoutThatIsLookedAt) {
    UsedWindow used({smallQuestion(), {}});
    const QString best = titleOfReport(used);
    const std::vector<Plan>& plans = used.window.session().answers().shown();
    ASSERT_GT(plans.size(), 1U);
    used.window.session().chooseA(1);
    ASSERT_TRUE(used.waits());
    const QString title = titleOfReport(used);
    EXPECT_NE(title, best);
    const QString about = QString::fromStdString(subjectText(plans[1].scenario));
    EXPECT_TRUE(title.contains(about)) << title.toStdString() << " of " << about.toStdString();
}

TEST(ExportJourney, ADocumentNeedsNoBrowser) {
    UsedWindow used({smallQuestion(), {}});
    const QByteArray paths = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const QString file = used.folder.filePath("study.PDF");
    used.window.exports().writeReport(file);
    EXPECT_TRUE(used.waits());
    qputenv("PATH", paths);
    EXPECT_EQ(used.find<QLabel>("notice.words").text(), "Written: " + file);
    EXPECT_TRUE(bytesOf(file).startsWith("%PDF"));
}

TEST(ExportJourney, AReportOfAnotherKindIsRefused) {
    UsedWindow used({smallQuestion(), {}});
    const QString file = used.folder.filePath("study.docx");
    used.window.exports().writeReport(file);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("notice.words").text().contains(".pdf or .html"));
    EXPECT_FALSE(QFile::exists(file));
}

TEST(ExportJourney, ATraceHasTheOpsOfTheStep) {
    UsedWindow used({smallQuestion(), {}});
    const QString file = used.folder.filePath("step.json");
    used.window.exports().writeTrace(file);
    ASSERT_TRUE(used.waits());
    const QJsonDocument trace = QJsonDocument::fromJson(bytesOf(file));
    EXPECT_GT(trace.object()["traceEvents"].toArray().size(), 10);
}

TEST(ExportJourney, WhatCannotBeWrittenIsSaid) {
    UsedWindow used({smallQuestion(), {}});
    used.window.exports().writeTrace("/nowhere/at/all.json");
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QLabel>("notice.words").text().count("cannot be written"), 1);
}

/// Also where a kind was added to the name that was typed.
TEST(ExportJourney, SaysWhereAChartWentTo) {
    UsedWindow used({smallQuestion(), {.page = "memory"}});
    QTimer timer;
    timer.setInterval(10);
    QObject::connect(&timer, &QTimer::timeout, [&] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
            timer.stop();
            dialog->findChild<QLineEdit*>("fileNameEdit")->setText(used.folder.filePath("mem.txt"));
            QMetaObject::invokeMethod(dialog, "accept");
        }
    });
    timer.start();
    used.window.findChild<QAction*>("action.exportChart")->trigger();
    const QString file = used.folder.filePath("mem.txt.png");
    EXPECT_EQ(used.find<QLabel>("notice.words").text(), "Written: " + file);
    EXPECT_TRUE(QFile::exists(file));
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    EXPECT_FALSE(used.find<QWidget>("notice").isVisible()) << "until the next edit";
}

TEST(ExportJourney, APageWithoutAChartSaysSo) {
    UsedWindow used({smallQuestion(), {}});
    for (const char* const page : {"compare", "explain"}) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        EXPECT_EQ(used.window.page()->chart(), nullptr) << page;
        used.window.findChild<QAction*>("action.exportChart")->trigger();
        EXPECT_TRUE(used.find<QLabel>("notice.words").text().contains("shows no chart")) << page;
        used.window.showPage("layouts");
        EXPECT_FALSE(used.find<QWidget>("notice").isVisible()) << "it was of the page before";
    }
    used.window.session().chooseB(1);
    used.window.showPage("compare");
    ASSERT_TRUE(used.waits());
    EXPECT_NE(used.window.page()->chart(), nullptr);
}

TEST(ExportJourney, EachPageHasATableToCopyAndToWrite) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    for (const char* const page : {"layouts", "memory", "cost", "timeline", "network"}) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        QApplication::clipboard()->clear();
        used.window.findChild<QAction*>("action.copyTable")->trigger();
        EXPECT_TRUE(QApplication::clipboard()->text().startsWith("|")) << page;
        const std::optional<Table> table = used.window.page()->table();
        ASSERT_TRUE(table) << page;
        const QString file = used.folder.filePath(QString(page) + ".csv");
        ASSERT_TRUE(writeTable(*table, file));
        EXPECT_TRUE(bytesOf(file).startsWith(csvText({table->columns, {}}).c_str())) << page;
    }
    EXPECT_FALSE(writeTable({}, used.folder.filePath("table.xlsx")));
}

// A spreadsheet takes "1,768" for two columns or for words.
TEST(ExportJourney, NumbersOfATableAreNumbersOfASpreadsheet) {
    const QTemporaryDir folder;
    const QString file = folder.filePath("t.csv");
    ASSERT_TRUE(writeTable(
        {{{"a"}, {"b"}}, {{"1,768", "33.3 %"}, {"-$1,234,567.5", "$0.0943"}, {"1,2", "8 x 2"}}},
        file));
    EXPECT_EQ(bytesOf(file).toStdString(), "a,b\n1768,33.3%\n-1234567.5,0.0943\n\"1,2\",8 x 2\n");
}

TEST(ExportJourney, ATableOfAChartHasItsTitleAndUnits) {
    UsedWindow used({smallQuestion(), {}});
    used.window.findChild<QAction*>("action.chartTable")->trigger();
    EXPECT_TRUE(used.find<QLabel>("chartTable.words").text().startsWith("Layouts, two numbers"));
    const Table& table = used.find<ReportTableView>("chartTable.table").tableModel().table();
    EXPECT_EQ(table.columns[1].title, "peak memory of a GPU (GiB)");
}

}  // namespace export_journey_test
}  // namespace fabricast
