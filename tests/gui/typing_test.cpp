// What is being typed is the user's until it is given.
#include "study/said_value.h"
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <memory>

namespace fabricast {
namespace {

std::string said(UsedWindow& used, const char* path) {
    return saidValue(used.window.session().question(), path).value_or("");
}

TEST(Typing, OfANumberIsNotWrittenOverByAnAnswer) {
    UsedWindow used({smallQuestion(), {}});
    used.window.activateWindow();
    auto& sequence = used.find<QSpinBox>("number.workload.sequence");
    sequence.setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return sequence.hasFocus(); }, 5000));
    sequence.selectAll();
    QTest::keyClicks(&sequence, "7");
    used.window.session().edit({{"workload.global_batch", "32", "test"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    QTest::keyClicks(&sequence, "68");
    QTest::keyClick(&sequence, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(said(used, "workload.sequence"), "768");
    // What has been given follows the question again.
    used.window.session().edit({{"workload.sequence", "512", "test"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(sequence.value(), 512);
}

/// Also where the file says what no cluster has: the words beside it name that number.
TEST(Typing, ANumberIsShownAsTheFileSaysIt) {
    UsedWindow used({smallQuestion({{"cluster.nodes", "100000000", "-n"}}), {}});
    auto& nodes = used.find<QSpinBox>("number.cluster.nodes");
    EXPECT_EQ(nodes.text(), "100,000,000");
    EXPECT_GE(nodes.findChild<QLineEdit*>()->width(),
              nodes.fontMetrics().horizontalAdvance(nodes.text()));
    used.window.session().edit({{"cluster.nodes", "3000000000", "-n"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(nodes.text(), "");
    EXPECT_EQ(nodes.findChild<QLineEdit*>()->placeholderText(), "3000000000");
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(nodes.text(), "2");
}

TEST(Typing, WhatAFileLeavesOpenIsShownAsOpen) {
    UsedWindow used({smallQuestion({{"workload.precision", "auto", "test"}}), {}});
    const auto& precision = used.find<QComboBox>("choice.workload.precision");
    EXPECT_EQ(precision.currentText(), "auto: bf16");
    EXPECT_FALSE(precision.font().bold());
    EXPECT_FALSE(used.find<QToolButton>("reset.workload.precision").isVisible());
}

TEST(Typing, OfWordsIsNotWrittenOverByAnAnswer) {
    UsedWindow used({smallQuestion(), {}});
    used.window.activateWindow();
    auto& tokens = used.find<QLineEdit>("text.workload.tokens");
    tokens.setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return tokens.hasFocus(); }, 5000));
    QTest::keyClicks(&tokens, "1.5");
    used.window.session().edit({{"workload.sequence", "512", "test"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    QTest::keyClicks(&tokens, "T");
    QTest::keyClick(&tokens, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(said(used, "workload.tokens"), "1.5T");
}

TEST(Typing, IsHeardWhereTheWindowGoesWithoutBeingClosed) {
    const QTemporaryDir folder;
    auto window = std::make_unique<MainWindow>(
        openBench(), SavedStudy{smallQuestion(), {}}, WindowSetup{.recoveryFolder = folder.path()});
    const StudySession& session = window->session();
    window->show();
    window->activateWindow();
    auto* tokens = window->findChild<QLineEdit*>("text.workload.tokens");
    tokens->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return tokens->hasFocus(); }, 5000));
    QTest::keyClicks(tokens, "1.5T");
    std::string heard;
    QObject::connect(&session, &StudySession::questionChanged, [&session, &heard] {
        heard = saidValue(session.question(), "workload.tokens").value_or("");
    });
    window.reset();
    EXPECT_EQ(heard, "1.5T");
}

}  // namespace
}  // namespace fabricast
