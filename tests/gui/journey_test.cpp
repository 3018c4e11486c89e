// What a user does, by the names of the widgets; the numbers are those of study's own answers.
#include "gui/models/row_texts.h"
#include "gui/pages/elided_label.h"
#include "gui/pages/table_view.h"
#include "gui/window/study_files.h"
#include "gui/window/window_size.h"
#include "planner/report/comparison_report.h"
#include "study/compare.h"
#include "study/plan.h"
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <array>

namespace fabricast {
namespace {

/// What the table shows is what a study of the window's question says.
void expectTableOfStudy(UsedWindow& used) {
    const PlanReport report = plan(used.window.session().question(), {}, openBench(), {}).value();
    const Table expected = planRows(report, report.plans);
    const Table& shown = used.find<ReportTableView>("layouts.table").tableModel().table();
    ASSERT_FALSE(expected.rows.empty());
    ASSERT_GE(shown.rows.size(), expected.rows.size());
    for (std::size_t row = 0; row < expected.rows.size(); ++row) {
        EXPECT_EQ(shown.rows[row], expected.rows[row]);
    }
}

TEST(Journey, OpensWithTheAnswer) {
    UsedWindow used({smallQuestion(), {}});
    expectTableOfStudy(used);
    EXPECT_EQ(used.find<QPushButton>("value.verdict").text(), "Fits");
    EXPECT_EQ(used.find<ElidedLabel>("command").words(),
              "fabricast plan -m gpt2 -c 4x-rtx-4090 -n 1 --global-batch 64 --stack megatron");
}

TEST(Journey, AnotherNumberOfServersIsAnotherAnswerUntilItIsUndone) {
    UsedWindow used({smallQuestion(), {}});
    const QString before = used.find<QPushButton>("value.step").text();
    used.find<QSpinBox>("number.cluster.nodes").setValue(2);
    ASSERT_TRUE(used.waits());
    expectTableOfStudy(used);
    EXPECT_NE(used.find<QPushButton>("value.step").text(), before);
    used.window.findChild<QAction*>("action.undo")->trigger();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QPushButton>("value.step").text(), before);
    EXPECT_EQ(used.find<QSpinBox>("number.cluster.nodes").value(), 1);
    used.window.findChild<QAction*>("action.redo")->trigger();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QSpinBox>("number.cluster.nodes").value(), 2);
}

TEST(Journey, EveryMoveOfASliderIsAnsweredByTheLast) {
    UsedWindow used({smallQuestion(), {}});
    auto& slider = used.find<QSlider>("slider.cluster.nodes");
    for (int stop = 1; stop <= 3; ++stop) {  // 2, 3 and 4 servers
        slider.setValue(stop);
        QTest::qWait(3);
    }
    ASSERT_TRUE(used.waits());
    expectTableOfStudy(used);
    EXPECT_TRUE(used.find<ElidedLabel>("command").words().contains("-n 4 "));
    used.window.session().undo();
    EXPECT_FALSE(used.window.session().history().canUndo()) << "a drag is one step";
}

TEST(Journey, APinnedKeyHoldsInEveryLayout) {
    UsedWindow used({smallQuestion(), {}});
    auto& tp = used.find<QComboBox>("choice.layout.tp");
    tp.setCurrentIndex(tp.findData("2"));
    emit tp.activated(tp.currentIndex());
    ASSERT_TRUE(used.waits());
    expectTableOfStudy(used);
    for (const Plan& plan : used.window.session().answers().shown()) {
        EXPECT_EQ(plan.scenario.layout.tp, 2);
    }
    EXPECT_TRUE(used.find<ElidedLabel>("command").words().contains("tp=2"));
}

TEST(Journey, AWrongValueIsExplainedWhereItWasTyped) {
    UsedWindow used({smallQuestion(), {}});
    auto& batch = used.find<QLineEdit>("text.workload.global_batch");
    batch.setText("many");
    emit batch.editingFinished();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.session().answers().stage, AnswerStage::Failed);
    auto& control = used.find<QWidget>("control.workload.global_batch");
    EXPECT_TRUE(control.findChild<QLabel*>("trouble")->text().contains("many"));
    EXPECT_FALSE(used.window.session().answers().shown().empty()) << "the last answer stays";
}

TEST(Journey, APartOfABoxIsShown) {
    const std::vector<Edit> part = {{"cluster.gpus", "2", "--gpus"}};
    UsedWindow used({with(smallQuestion(), part).value(), {}});
    EXPECT_EQ(used.find<QLineEdit>("text.cluster.gpus_per_node").placeholderText(), "auto: 2");
}

TEST(Journey, QloraIsShownAsWhatWasChosen) {
    UsedWindow used({smallQuestion({{"model", "llama-3.2-1b", "-m"},
                                    {"search.stacks", "axolotl", "--stack"},
                                    {"settings.tuning", "qlora", "--tuning"}}),
                     {}});
    auto& tuning = used.find<QComboBox>("choice.settings.tuning");
    EXPECT_EQ(tuning.currentText(), "qlora");
    for (const char* next : {"full", "null"}) {
        used.window.session().edit({{"settings.tuning", next, "--tuning"}}, {.title = "Tuning"});
        ASSERT_TRUE(used.waits());
        EXPECT_EQ(used.window.session().answers().stage, AnswerStage::Done) << next;
        used.window.session().undo();
        ASSERT_TRUE(used.waits());
    }
}

TEST(Journey, SeveralBoxesWithoutANetworkAreExplainedAtTheirControl) {
    const std::string box = R"("cluster": {"name": "8x-rtx-pro-6000-cx8", "nodes": 2})";
    const Question inFile =
        parseQuestion("{\"model\": \"gpt2\", " + box + "}", "x.json", {}).value();
    const Question typedIn = smallQuestion(
        {{"cluster.name", "8x-rtx-pro-6000-cx8", "-c"}, {"cluster.nodes", "2", "-n"}});
    for (const Question& question : {inFile, typedIn}) {
        UsedWindow used({question, {}});
        auto& control = used.find<QWidget>("control.cluster.name");
        const QString trouble = control.findChild<QLabel*>("trouble")->text();
        EXPECT_TRUE(trouble.contains("no network")) << trouble.toStdString();
        for (const QString& words : {trouble,
                                     used.find<ElidedLabel>("next.words").words(),
                                     used.find<ElidedLabel>("verdict.subject").words()}) {
            EXPECT_FALSE(words.contains("--fabric")) << words.toStdString();
        }
    }
}

TEST(Journey, HostMemoryThatIsNotKnownIsAskedFor) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "4x-rtx-4090", "-c"},
                                     {"cluster.nodes", "1", "-n"},
                                     {"workload.global_batch", "16", "--global-batch"},
                                     {"search.stacks", "deepspeed", "--stack"},
                                     {"layout.offload", "optimizer_cpu", "--fix"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {}});
    EXPECT_EQ(used.find<QPushButton>("value.verdict").text(), "Likely fits");
    EXPECT_TRUE(used.find<ElidedLabel>("next.words").words().contains("host"));
    auto& memory = used.find<QLineEdit>("text.cluster.host_memory");
    memory.setText("1TB");
    emit memory.editingFinished();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QPushButton>("value.verdict").text(), "Fits");
    EXPECT_FALSE(used.find<ElidedLabel>("next.words").words().contains("host"));
}

TEST(Journey, WhatIsAdvisedIsFaintUntilItIsOfTheQuestion) {
    UsedWindow used({smallQuestion(), {}});
    auto& words = used.find<ElidedLabel>("next.words");
    EXPECT_TRUE(words.isEnabled());
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    EXPECT_FALSE(words.isEnabled()) << "it is of one server";
    EXPECT_FALSE(used.find<QPushButton>("next.do").isEnabled());
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(words.isEnabled());
    EXPECT_TRUE(used.find<QPushButton>("next.do").isEnabled());
}

TEST(Journey, ALayoutThatIsKeptIsTheOnlyOne) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    auto& table = used.find<ReportTableView>("layouts.table");
    table.setCurrentIndex(table.shownRow(1));
    ASSERT_TRUE(used.waits());
    const Layout kept = session.answers().shown()[1].scenario.layout;
    used.find<QPushButton>("layouts.pin").click();
    ASSERT_TRUE(used.waits());
    session.edit({{"workload.sequence", "512", "--seq"}}, {.title = "Sequence 512"});
    ASSERT_TRUE(used.waits());
    ASSERT_FALSE(session.answers().shown().empty());
    for (const Plan& plan : session.answers().shown()) {
        EXPECT_EQ(plan.scenario.layout, kept);
    }
    EXPECT_EQ(used.find<QComboBox>("choice.layout.cp").currentData().toString(), "1");
}

TEST(Journey, TheSoftwareOfAFileIsHeldUntilAnotherIsChosen) {
    const char* const text = R"({"model": "gpt2", "cluster": {"name": "4x-rtx-4090", "nodes": 1},
        "workload": {"global_batch": 64}, "stack": "fsdp2"})";
    UsedWindow used({parseQuestion(text, "run.json", {}).value(), {}});
    auto& software = used.find<QComboBox>("choice.search.stacks");
    EXPECT_EQ(software.currentData().toString(), "fsdp2");
    EXPECT_TRUE(used.find<QToolButton>("reset.search.stacks").isVisibleTo(&used.window));
    software.setCurrentIndex(software.findData("ddp"));
    emit software.activated(software.currentIndex());
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(says(used.window.session().question(), "stack"));
    EXPECT_EQ(software.currentData().toString(), "ddp");
}

TEST(Journey, AdaptersAreOneChoiceAway) {
    UsedWindow used(
        {smallQuestion({{"model", "llama-3.2-1b", "-m"}, {"search.stacks", "fsdp2", "--stack"}}),
         {}});
    auto& tuning = used.find<QComboBox>("choice.settings.tuning");
    tuning.setCurrentIndex(tuning.findData("lora"));
    emit tuning.activated(tuning.currentIndex());
    ASSERT_TRUE(used.waits());
    const PlanReport& report = *used.window.session().answers().report;
    ASSERT_FALSE(report.plans.empty());
    EXPECT_EQ(report.plans.front().scenario.settings.tuning, Tuning::Lora);
}

TEST(Journey, ARowIsBWithShift) {
    UsedWindow used({smallQuestion(), {}});
    auto& table = used.find<ReportTableView>("layouts.table");
    StudySession& session = used.window.session();
    ASSERT_EQ(session.placeOf(session.a()), std::size_t{0});
    const QPoint second = table.visualRect(table.shownRow(1)).center();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ShiftModifier, second);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.placeOf(session.a()), std::size_t{0});
    EXPECT_EQ(session.placeOf(session.b()), std::size_t{1});
    EXPECT_EQ(table.tableRow(table.currentIndex()), 0);
}

TEST(Journey, BIsComparedAsTheCommandLineDoes) {
    UsedWindow used({smallQuestion(), {}});
    auto& table = used.find<ReportTableView>("layouts.table");
    table.setCurrentIndex(table.shownRow(1));
    used.find<QPushButton>("layouts.asB").click();
    ASSERT_TRUE(used.window.showPage("compare"));
    ASSERT_TRUE(used.waits());
    StudySession& session = used.window.session();
    ASSERT_EQ(session.placeOf(session.b()), std::size_t{1});
    ASSERT_EQ(session.placeOf(session.a()), std::size_t{0});
    const std::array both = {session.a().question, session.b().question};
    const Comparison expected = compare(both, {}, openBench(), {}).value();
    EXPECT_EQ(used.find<ReportTableView>("compare.numbers").tableModel().table().rows,
              numberTable(expected, {}).rows);
    used.find<QPushButton>("compare.swap").click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.placeOf(session.a()), std::size_t{1});
    used.find<QPushButton>("compare.clear").click();
    EXPECT_TRUE(session.b().typed.empty());
    EXPECT_TRUE(used.window.page()->message().contains("second layout"));
    used.find<QPushButton>("compare.action").click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.placeOf(session.b()), std::size_t{0}) << "the best one beside A";
}

TEST(Journey, WhatWouldHelpIsOneClickAway) {
    // 8 billion parameters, all of them on each 24 GB card.
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "4x-rtx-4090", "-c"},
                                     {"cluster.nodes", "1", "-n"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "16", "--global-batch"},
                                     {"search.stacks", "ddp", "--stack"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {.page = "explain"}});
    EXPECT_EQ(used.find<QPushButton>("value.verdict").text(), "Does not fit");
    EXPECT_TRUE(used.find<ElidedLabel>("next.words").words().startsWith("Nothing fits"));
    used.find<QPushButton>("explain.fix.0.apply").click();
    ASSERT_TRUE(used.waits());
    EXPECT_NE(used.find<QPushButton>("value.verdict").text(), "Does not fit");
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QPushButton>("value.verdict").text(), "Does not fit");
}

TEST(Journey, ASavedStudyOpensWithTheSameNumbers) {
    UsedWindow used({smallQuestion(), {}});
    used.find<QSpinBox>("number.cluster.nodes").setValue(2);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.window.isWindowModified());
    const QString file = used.folder.filePath("study.json");
    used.window.showPage("memory");
    ASSERT_TRUE(used.window.files().saveTo(file));
    EXPECT_FALSE(used.window.isWindowModified());
    EXPECT_EQ(used.find<ElidedLabel>("command").words(), "fabricast plan " + file);
    UsedWindow again(openStudy(file.toStdString()).value());
    EXPECT_EQ(again.window.page()->name(), "memory");
    EXPECT_EQ(again.find<QPushButton>("value.step").text(),
              used.find<QPushButton>("value.step").text());
    EXPECT_EQ(again.find<QPushButton>("value.verdict").text(),
              used.find<QPushButton>("value.verdict").text());
}

/// The place of a layout that is shown beside the best ones, as a trade-off.
std::size_t lastPlace(UsedWindow& used) {
    return used.window.session().answers().shown().size() - 1;
}

TEST(Journey, ASavedLayoutOpensWithItsNumbersOnEveryPage) {
    UsedWindow used({smallQuestion({{"search.top", "1", "--top"}}), {}});
    ASSERT_GT(lastPlace(used), 0U);
    used.window.session().chooseA(lastPlace(used));
    ASSERT_TRUE(used.waits());
    used.window.showPage("memory");
    const QString file = used.folder.filePath("study.json");
    ASSERT_TRUE(used.window.files().saveTo(file));
    UsedWindow again(openStudy(file.toStdString()).value());
    EXPECT_EQ(again.window.session().a().typed, used.window.session().a().typed);
    EXPECT_EQ(again.find<QPushButton>("value.step").text(),
              used.find<QPushButton>("value.step").text());
}

TEST(Journey, WhatIfSearchesBesideALayoutThatIsNotTheBest) {
    UsedWindow used({smallQuestion(), {}});
    used.window.session().chooseA(lastPlace(used));
    used.window.showPage("sensitivity");
    ASSERT_TRUE(used.waits());
    const auto& rows = used.find<ReportTableView>("sensitivity.rows").tableModel().table();
    ASSERT_EQ(rows.columns.size(), 7U);
    EXPECT_EQ(rows.columns[4].title, "best layout");
    const QString headline = used.find<QLabel>("sensitivity.headline").text();
    EXPECT_FALSE(headline.contains("still searched")) << headline.toStdString();
    for (const std::vector<std::string>& row : rows.rows) {
        EXPECT_NE(row.back(), "the same") << row.front();
    }
}

TEST(Journey, TheCommandIsThatOfTheLayoutThatWasChosen) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    auto& command = used.find<ElidedLabel>("command");
    session.chooseA(lastPlace(used));
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(command.words().toStdString(), "fabricast explain " + typed(session.a().question));
    session.chooseA(0);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(command.words().startsWith("fabricast plan ")) << command.words().toStdString();
}

TEST(Journey, ATargetIsSaidToBeOfTheBestLayoutWhereAIsAnother) {
    UsedWindow used({smallQuestion(), {}});
    used.window.session().chooseA(lastPlace(used));
    used.window.showPage("explain");
    ASSERT_TRUE(used.waits());
    used.find<QPushButton>("explain.find").click();
    ASSERT_TRUE(used.waits());
    const QString words = used.find<QLabel>("explain.target").text();
    EXPECT_TRUE(words.startsWith("The best layout, which A is not: ")) << words.toStdString();
}

TEST(Journey, HardwareIsSaidToHaveItsBestLayoutWhereAIsAnother) {
    UsedWindow used({smallQuestion(), {}});
    used.find<QLineEdit>("hardware.names").setText("4x-rtx-4090");
    used.window.showPage("hardware");
    ASSERT_TRUE(used.waits());
    const auto& headline = used.find<QLabel>("hardware.headline");
    EXPECT_FALSE(headline.text().contains("which A is not")) << headline.text().toStdString();
    used.window.session().chooseA(lastPlace(used));
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(headline.text().contains("which A is not")) << headline.text().toStdString();
}

TEST(Journey, HardwareSideBySideIsSavedWithTheStudy) {
    UsedWindow used({smallQuestion(), {.page = "hardware"}});
    EXPECT_FALSE(used.window.isWindowModified());
    auto& names = used.find<QLineEdit>("hardware.names");
    names.setFocus();
    names.selectAll();
    QTest::keyClicks(&names, "4x-rtx-4090, 4x-rtx-5090");
    QTest::keyClick(&names, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.window.isWindowModified());
    const QString file = used.folder.filePath("study.json");
    ASSERT_TRUE(used.window.files().saveTo(file));
    UsedWindow again(openStudy(file.toStdString()).value());
    EXPECT_EQ(again.find<QLineEdit>("hardware.names").text(), "4x-rtx-4090, 4x-rtx-5090");
    EXPECT_FALSE(again.window.isWindowModified());
}

TEST(Journey, AMisspeltNameLeavesTheOtherHardware) {
    UsedWindow used({smallQuestion(), {}});
    used.find<QLineEdit>("hardware.names").setText("4x-rtx-4090, banana, 4x-rtx-5090");
    used.window.showPage("hardware");
    ASSERT_TRUE(used.waits());
    const Table& rows = used.find<ReportTableView>("hardware.rows").tableModel().table();
    ASSERT_EQ(rows.rows.size(), 3U);
    EXPECT_NE(rows.rows[0][2], "–");
    EXPECT_NE(rows.rows[1].back().find("is called \"banana\""), std::string::npos);
    EXPECT_EQ(rows.rows[1].back().find("fabricast"), std::string::npos) << rows.rows[1].back();
    EXPECT_NE(rows.rows[2][2], "–");
    used.find<QLineEdit>("hardware.names").setText("4x-rtx-4090, 4x-rtx-5091");
    emit used.find<QLineEdit>("hardware.names").editingFinished();
    ASSERT_TRUE(used.waits());
    const std::string near =
        used.find<ReportTableView>("hardware.rows").tableModel().table().rows[1].back();
    EXPECT_NE(near.find("did you mean"), std::string::npos) << near;
}

TEST(Journey, AFileThatCannotBeReadHasAWindowThatSaysSo) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("damaged.json");
    QFile out(path);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write("{\"model\": \"gpt2}");
    out.close();
    const Result<SavedStudy> read = openStudy(path.toStdString());
    ASSERT_FALSE(read);
    MainWindow window(
        openBench(),
        openStudy("").value(),
        {.recoveryFolder = folder.path() + "/unsaved", .trouble = openTrouble(path, read.error())});
    window.show();
    QString words;
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        words += label->isVisible() ? label->text() : QString();
    }
    EXPECT_TRUE(words.contains("damaged.json cannot be opened: ")) << words.toStdString();
    EXPECT_TRUE(words.contains("Mend it in a text editor")) << words.toStdString();
    EXPECT_NE(window.findChild<QPushButton*>("notice.open"), nullptr);
}

TEST(WindowSize, IsWhatWasAskedForAsFarAsTheScreenHasRoom) {
    QWidget window;
    window.resize(500, 400);
    sizeWindow(window, {}, {1000, 840});
    EXPECT_EQ(window.size(), QSize(500, 400));
    sizeWindow(window, QSize(900, 700), {1000, 840});
    EXPECT_EQ(window.size(), QSize(900, 700));
    sizeWindow(window, QSize(1900, 1000), {1000, 840});
    EXPECT_EQ(window.size(), QSize(1000, 800));
}

TEST(Journey, WhatIsTooMuchForAServerIsSaid) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"cluster.nodes", "1", "-n"},
                                     {"workload.sequence", "4096", "--seq"},
                                     {"workload.global_batch", "8", "--global-batch"},
                                     {"search.stacks", "fsdp2", "--stack"},
                                     {"layout.dp", "8", "--layout"},
                                     {"layout.recompute", "none", "--layout"}};
    UsedWindow used({with(readQuestion("", "").value(), edits).value(), {.page = "explain"}});
    const QString words = used.find<QLabel>("explain.headline").text();
    EXPECT_FALSE(words.contains("over at .")) << words.toStdString();
    EXPECT_TRUE(words.contains("host memory per node: ")) << words.toStdString();
}

TEST(Journey, HardwareIsComparedWithAsManyServersAsTheFileSays) {
    const char* const text = R"({"model": "gpt2", "cluster": {"name": "4x-rtx-4090", "nodes": 2},
        "workload": {"global_batch": 64}, "search": {"stacks": ["ddp"]}})";
    UsedWindow used({parseQuestion(text, "run.json", {}).value(), {.page = "explain"}});
    used.find<QLineEdit>("hardware.names").setText("4x-rtx-4090, 4x-rtx-5090");
    used.window.showPage("hardware");
    ASSERT_TRUE(used.waits());
    const Table& rows = used.find<ReportTableView>("hardware.rows").tableModel().table();
    ASSERT_EQ(rows.rows.size(), 2U);
    EXPECT_EQ(rows.rows[0][1], "8");  // 2 servers of 4 GPUs
    EXPECT_EQ(rows.rows[1][1], "8");
}

TEST(Journey, EveryPageAnswers) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    for (const QString& name : used.window.pageNames()) {
        ASSERT_TRUE(used.window.showPage(name));
        ASSERT_TRUE(used.waits()) << name.toStdString();
        const QString message = used.window.page()->message();
        EXPECT_TRUE(name == "compare" || message.isEmpty())
            << name.toStdString() << ": " << message.toStdString();
    }
}

/// With a tile for each number, in two rows, and nothing of them cut off.
TEST(Journey, EveryPageHasRoomInASmallWindow) {
    constexpr int kSmall = 900;
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    used.window.resize(1400, 700);
    QCoreApplication::processEvents();
    const QRect before = used.find<QWidget>("tile.run").geometry();
    for (const QString& name : used.window.pageNames()) {
        ASSERT_TRUE(used.window.showPage(name));
        ASSERT_TRUE(used.waits()) << name.toStdString();
        EXPECT_LE(used.window.minimumSizeHint().width(), kSmall) << name.toStdString();
    }
    // A window manager takes its time.
    used.window.resize(kSmall, 700);
    const auto& first = used.find<QWidget>("tile.verdict");
    EXPECT_TRUE(QTest::qWaitFor([&] { return used.find<QWidget>("tile.run").y() > first.y(); }));
    for (const char* key : {"verdict", "step", "speed", "mfu", "price", "run"}) {
        for (const char* part : {"title.", "value.", "range."}) {
            const auto& words = used.find<QWidget>((std::string(part) + key).c_str());
            EXPECT_GE(words.width(), words.sizeHint().width()) << part << key;
        }
    }
    used.window.resize(1400, 700);
    EXPECT_TRUE(QTest::qWaitFor([&] { return used.find<QWidget>("tile.run").y() == before.y(); }));
}

TEST(Journey, TheLayoutsColumnHasTheRoomThatTheLastCanSpare) {
    UsedWindow used({smallQuestion(), {}});
    used.window.resize(1280, 800);
    QCoreApplication::processEvents();
    auto& table = used.find<ReportTableView>("layouts.table");
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "two"});
    ASSERT_TRUE(used.waits());
    constexpr int kLayout = 2;
    const QAbstractItemView& view = table;
    const int whole = view.sizeHintForColumn(kLayout);
    EXPECT_GE(table.columnWidth(kLayout), std::min(whole, 240));
    EXPECT_FALSE(table.horizontalScrollBar()->isVisible());
}

TEST(Journey, AModelThatIsOpenedIsThatOfTheStudy) {
    UsedWindow used({smallQuestion(), {}});
    const QString file = used.folder.filePath("config.json");
    const std::string config = R"({"model_type": "llama", "hidden_size": 512,
        "num_hidden_layers": 4, "num_attention_heads": 8, "intermediate_size": 1024,
        "vocab_size": 32000, "max_position_embeddings": 2048})";
    QFile out(file);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(config.data(), static_cast<qint64>(config.size()));
    out.close();
    ASSERT_TRUE(used.window.files().openAsked(file));
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(
        used.find<QLabel>("notice.words").text().startsWith("This study is now of the model of "));
    EXPECT_EQ(used.window.session().answers().stage, AnswerStage::Done);
    EXPECT_TRUE(used.find<ElidedLabel>("command").words().contains("-c 4x-rtx-4090 -n 1"));
    EXPECT_TRUE(used.window.session().history().canUndo());
}

TEST(Journey, AStudyWithoutHardwareLeadsToItsControl) {
    UsedWindow used({parseQuestion(R"({"model": "gpt2"})", "m.json", {}).value(), {}});
    EXPECT_TRUE(used.find<ElidedLabel>("next.words").words().contains("choose the hardware"));
    const QString subject = used.find<ElidedLabel>("verdict.subject").words();
    EXPECT_TRUE(subject.contains("no cluster given")) << subject.toStdString();
    EXPECT_FALSE(subject.contains(" -")) << subject.toStdString();
    EXPECT_EQ(used.find<QSpinBox>("number.workload.sequence").text(), "");
    auto& hardware = used.find<QLineEdit>("line.cluster.name");
    hardware.setText("4x-rtx-4090");
    emit hardware.editingFinished();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.session().answers().stage, AnswerStage::Done);
    EXPECT_NE(used.find<QSpinBox>("number.workload.sequence").text(), "");
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(hardware.text(), "");
    EXPECT_EQ(used.find<QSpinBox>("number.workload.sequence").text(), "");
}

TEST(Journey, WhatIsWrittenUnderATargetDoesNotWidenTheWindow) {
    UsedWindow used({smallQuestion(), {.page = "explain"}});
    const int before = used.window.minimumSizeHint().width();
    used.find<QLabel>("explain.target").setText(QString("MISSED ").repeated(60));
    EXPECT_LE(used.window.minimumSizeHint().width(), before);
}

TEST(Journey, TheNoteOfTheLayoutsSaysTheirOrder) {
    UsedWindow used({smallQuestion(), {}});
    EXPECT_TRUE(used.find<QLabel>("layouts.note").text().contains(" layouts, fastest first."));
}

TEST(Journey, NothingIsDividedOverMoreGpusThanThereAre) {
    UsedWindow used({smallQuestion(), {}});
    const auto isOffered = [&used](const char* name, const char* value) {
        const auto& box = used.find<QComboBox>(name);
        const int place = box.findData(QString(value));
        return box.model()->index(place, 0).flags().testFlag(Qt::ItemIsEnabled);
    };
    for (const char* degree : {"choice.layout.tp", "choice.layout.pp", "choice.layout.dp"}) {
        EXPECT_TRUE(isOffered(degree, "4")) << degree;
        EXPECT_FALSE(isOffered(degree, "8")) << degree;
    }
    EXPECT_TRUE(isOffered("choice.layout.micro_batch", "8"));
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "-n 2"});
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(isOffered("choice.layout.tp", "8"));
}

TEST(Journey, TheNoteOfTheLayoutsIsOneLineUntilItIsOpened) {
    UsedWindow used({smallQuestion(), {}});
    used.window.resize(900, 650);
    ASSERT_TRUE(used.waits());
    const auto& note = used.find<ElidedLabel>("layouts.note");
    const int line = note.fontMetrics().height();
    auto& more = used.find<QToolButton>("layouts.note.more");
    EXPECT_LT(note.height(), 2 * line);
    more.click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return note.height() > 2 * line; }, 2000));
    EXPECT_EQ(more.text(), "less");
    more.click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return note.height() < 2 * line; }, 2000));
}

TEST(Journey, ASmallWindowShowsTheRowsOfTheLayoutsAndTheChartWhereItIsAsked) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    const auto& chart = used.find<QWidget>("layouts.scatter");
    const auto& table = used.find<ReportTableView>("layouts.table");
    auto& button = used.find<QToolButton>("layouts.chart");
    EXPECT_TRUE(chart.isVisible());
    used.window.resize(900, 650);
    EXPECT_TRUE(QTest::qWaitFor([&chart] { return !chart.isVisible(); }, 2000))
        << used.window.page()->height();
    QCoreApplication::processEvents();
    EXPECT_GE(table.viewport()->height(), 6 * table.rowHeight(0));
    EXPECT_EQ(button.text(), "show chart");
    button.click();
    EXPECT_TRUE(chart.isVisible());
    button.click();
    EXPECT_FALSE(chart.isVisible());
}

}  // namespace
}  // namespace fabricast
