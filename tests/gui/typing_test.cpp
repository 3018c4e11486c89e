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

/// One GPU of a box that its GPU names.
Question ofOneGpu() {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.gpu", "rtx-4090", "--gpu"},
                                     {"cluster.gpus", "1", "--gpus"},
                                     {"workload.global_batch", "64", "--global-batch"},
                                     {"search.stacks", "ddp", "--stack"}};
    return with(readQuestion("", "").value(), edits).value();
}

TEST(GpusInAll, AreShownAsHeldBesideTheirGpu) {
    UsedWindow used({ofOneGpu(), {}});
    EXPECT_EQ(used.find<QComboBox>("choice.cluster.name").currentText(), "rtx-4090");
    const auto& gpus = used.find<QLineEdit>("text.cluster.gpus");
    EXPECT_EQ(gpus.text(), "1");
    EXPECT_TRUE(gpus.font().bold());
}

TEST(GpusInAll, StayUnderOtherHardware) {
    UsedWindow used({ofOneGpu(), {}});
    auto& hardware = used.find<QComboBox>("choice.cluster.name");
    hardware.setFocus();
    hardware.lineEdit()->selectAll();
    QTest::keyClicks(hardware.lineEdit(), "rtx-5090");
    QTest::keyClick(hardware.lineEdit(), Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(said(used, "cluster.name"), "rtx-5090");
    EXPECT_EQ(said(used, "cluster.gpus"), "1");
    EXPECT_EQ(used.window.session().answers().report->question.cluster.gpus(), 1);
}

TEST(GpusInAll, OfAPartOfAServerAreThoseOfEachOfMoreServers) {
    UsedWindow used({ofOneGpu(), {}});
    auto& servers = used.find<QSpinBox>("number.cluster.nodes");
    servers.setFocus();
    servers.selectAll();
    QTest::keyClicks(&servers, "2");
    QTest::keyClick(&servers, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QComboBox>("choice.cluster.name").currentText(), "8x-rtx-4090");
    EXPECT_EQ(used.find<QLineEdit>("text.cluster.gpus_per_node").text(), "1");
    EXPECT_EQ(used.window.session().answers().report->question.cluster.gpus(), 2);
    EXPECT_EQ(used.window.session().command(),
              "fabricast plan -m gpt2 -n 2 --gpus-per-node 1 --global-batch 64 --stack ddp "
              "--set cluster.name=8x-rtx-4090");
}

/// Whole servers are as many as are asked for.
TEST(GpusInAll, OfWholeServersGoForANumberOfServers) {
    UsedWindow used({smallQuestion({{"cluster.gpus", "8", "--gpus"}}), {}});
    auto& servers = used.find<QSpinBox>("number.cluster.nodes");
    servers.setFocus();
    servers.selectAll();
    QTest::keyClicks(&servers, "3");
    QTest::keyClick(&servers, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(said(used, "cluster.gpus_per_node"), "");
    EXPECT_EQ(used.window.session().answers().report->question.cluster.gpus(), 12);
    EXPECT_EQ(used.find<QLineEdit>("text.cluster.gpus").placeholderText(), "auto: 12");
}

}  // namespace
}  // namespace fabricast
