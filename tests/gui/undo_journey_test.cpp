// What is undone is the question, with the layouts that are looked at, wherever the keyboard is.
#include "gui/pages/elided_label.h"
#include "tests/gui/used_window.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>

namespace fabricast {
namespace {

void pin(UsedWindow& used, const char* choice, const char* value) {
    auto& box = used.find<QComboBox>(choice);
    box.setCurrentIndex(box.findData(value));
    emit box.activated(box.currentIndex());
    ASSERT_TRUE(used.waits());
}

void activate(UsedWindow& used) {
    used.window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&used.window));
}

TEST(UndoJourney, AIsTheBestLayoutAgainAndBIsBack) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    session.chooseB(1);
    ASSERT_TRUE(used.waits());
    const std::string a = session.a().typed;
    const std::string b = session.b().typed;
    const QString step = used.find<QPushButton>("value.step").text();
    const char* const other = a.find("tp=2") == std::string::npos ? "2" : "4";
    pin(used, "choice.layout.tp", other);
    ASSERT_NE(session.a().typed, a);
    used.find<QPushButton>("value.verdict").setFocus();
    session.undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.placeOf(session.a()), std::size_t{0});
    EXPECT_EQ(session.a().typed, a);
    EXPECT_EQ(session.b().typed, b);
    EXPECT_EQ(used.find<QPushButton>("value.step").text(), step);
}

TEST(UndoJourney, WhatWasChosenByHandStaysChosen) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    session.chooseA(2);
    ASSERT_TRUE(used.waits());
    const std::string chosen = session.a().typed;
    EXPECT_EQ(used.window.viewState().chosen, chosen);
    session.edit({{"workload.tokens", "1B", "--tokens"}}, {.title = "Tokens 1B"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(session.a().typed, chosen);
    session.chooseA(0);
    EXPECT_EQ(used.window.viewState().chosen, "") << "the best one, whichever that is";
}

TEST(UndoJourney, WhatIsPutSideBySideIsAStepToo) {
    UsedWindow used({smallQuestion(), {.page = "hardware"}});
    auto& names = used.find<QLineEdit>("hardware.names");
    const QString before = names.text();
    names.setFocus();
    names.selectAll();
    QTest::keyClicks(&names, "4x-rtx-4090, dgx-a100");
    QTest::keyClick(&names, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    const History& history = used.window.session().history();
    ASSERT_TRUE(history.canUndo());
    EXPECT_EQ(history.undoTitle(), "Side by side 4x-rtx-4090, dgx-a100");
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(names.text(), before);
    EXPECT_EQ(used.window.viewState().hardware, "");
    used.window.session().redo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(names.text(), "4x-rtx-4090, dgx-a100");
}

/// A change that is applied may be best under other software, which nobody asked for.
TEST(UndoJourney, SaysWhereAnAppliedChangeTookOtherSoftware) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    ASSERT_TRUE(session.a().typed.starts_with("megatron "));
    const auto apply = [&](const char* stack, bool isApplied) {
        session.edit({{"search.stacks", stack, "--stack"}},
                     {.title = "Software", .isApplied = isApplied});
        ASSERT_TRUE(used.waits());
    };
    apply("fsdp2", true);
    EXPECT_EQ(session.history().undoTitle(), "Software (fsdp2 in place of megatron)");
    EXPECT_EQ(used.window.findChild<QAction*>("action.undo")->text(),
              "&Undo: Software (fsdp2 in place of megatron)");
    EXPECT_EQ(used.find<QLabel>("notice.words").text(),
              "Applied. The best layout is now one of fsdp2; it was one of megatron.");
    apply("megatron", false);
    EXPECT_EQ(session.history().undoTitle(), "Software") << "that was chosen";
    EXPECT_FALSE(used.find<QWidget>("notice").isVisible());
}

TEST(UndoJourney, SaysWhereAAndBBecameOneLayout) {
    UsedWindow used({smallQuestion(), {.page = "compare"}});
    StudySession& session = used.window.session();
    session.chooseA(1);
    ASSERT_TRUE(used.waits());
    session.chooseB(0);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.page()->message(), "");
    session.chooseA(0);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.window.page()->message().startsWith("A and B are the same layout now, "))
        << used.window.page()->message().toStdString();
    auto& other = used.find<QPushButton>("compare.action");
    EXPECT_TRUE(other.isVisible());
    other.click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.page()->message(), "");
}

TEST(UndoJourney, KeysInAFieldUndoTheQuestion) {
    UsedWindow used({smallQuestion(), {}});
    activate(used);
    auto& batch = used.find<QLineEdit>("text.workload.global_batch");
    batch.setFocus();
    batch.selectAll();
    QTest::keyClicks(&batch, "128");
    QTest::keyClick(&batch, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    ASSERT_TRUE(used.find<ElidedLabel>("command").words().contains("--global-batch 128"));
    QTest::keyClick(&batch, Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<ElidedLabel>("command").words().contains("--global-batch 64"));
    EXPECT_EQ(batch.text(), "64");
    EXPECT_FALSE(used.window.session().history().canUndo());
}

TEST(UndoJourney, KeysInANumberUndoTheQuestion) {
    UsedWindow used({smallQuestion(), {}});
    activate(used);
    auto& sequence = used.find<QSpinBox>("number.workload.sequence");
    const int before = sequence.value();
    sequence.setFocus();
    sequence.selectAll();
    QTest::keyClicks(&sequence, "512");
    QTest::keyClick(&sequence, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    ASSERT_TRUE(used.find<ElidedLabel>("command").words().contains("--seq 512"));
    QTest::keyClick(&sequence, Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(used.window.session().history().canUndo());
    EXPECT_EQ(sequence.value(), before);
    QTest::keyClick(&sequence, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(sequence.value(), 512);
}

/// To a line, Ctrl+E and Ctrl+K are keys of its own.
TEST(UndoJourney, KeysInAFieldAreTheWindowsCommands) {
    UsedWindow used({smallQuestion(), {}});
    activate(used);
    auto& batch = used.find<QLineEdit>("text.workload.global_batch");
    batch.setFocus();
    const QString text = batch.text();
    batch.setModified(true);
    for (const auto& [key, action] :
         {std::pair(Qt::Key_E, "action.exportChart"), std::pair(Qt::Key_B, "action.scenario")}) {
        auto& command = used.find<QAction>(action);
        command.disconnect(&used.window);
        QSignalSpy asked(&command, &QAction::triggered);
        QTest::keyClick(&batch, key, Qt::ControlModifier);
        EXPECT_EQ(asked.count(), 1) << action;
    }
    EXPECT_EQ(batch.text(), text);
}

TEST(UndoJourney, WhatIsHalfTypedIsUndoneByItsFieldAndNotWrittenOver) {
    UsedWindow used({smallQuestion(), {}});
    activate(used);
    auto& batch = used.find<QLineEdit>("text.workload.global_batch");
    auto& sequence = used.find<QSpinBox>("number.workload.sequence");
    batch.setFocus();
    batch.selectAll();
    QTest::keyClicks(&batch, "32");
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers 2"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(batch.text(), "32") << "an answer has come meanwhile";
    QTest::keyClick(&batch, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(used.find<QSpinBox>("number.cluster.nodes").value(), 2);
    sequence.setFocus();
    sequence.selectAll();
    QTest::keyClicks(&sequence, "20");
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    QTest::keyClicks(&sequence, "48");
    QTest::keyClick(&sequence, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<ElidedLabel>("command").words().contains("--seq 2048"));
}

TEST(UndoJourney, ALayoutOfAnotherModelIsNotSaved) {
    UsedWindow used({smallQuestion(), {}});
    StudySession& session = used.window.session();
    ASSERT_TRUE(used.waits());
    session.chooseA(1);
    ASSERT_TRUE(used.waits());
    ASSERT_FALSE(used.window.viewState().chosen.empty());
    session.edit({{"search.stacks", "ddp", "--stack"}}, {.title = "Software"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.viewState().chosen, "");
    session.undo();
    ASSERT_TRUE(used.waits());
    EXPECT_NE(used.window.viewState().chosen, "") << "it is still A of the question before";
}

}  // namespace
}  // namespace fabricast
