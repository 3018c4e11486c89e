// A control that is left to the forecast again, several values of one, and messages without flags.
#include "gui/charts/curve_widget.h"
#include "gui/models/edit_words.h"
#include "gui/models/sweep_view.h"
#include "gui/pages/key_control.h"
#include "gui/pages/table_view.h"
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

namespace fabricast {
namespace sweep_journey_test {

TEST(ResetJourney, AButtonAndAKeyTakeBackWhatIsSaid) {
    UsedWindow used({smallQuestion({{"layout.tp", "2", "--fix"}}), {}});
    auto& reset = used.find<QToolButton>("reset.layout.tp");
    EXPECT_TRUE(reset.isVisibleTo(&used.window));
    reset.click();
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(reset.isVisibleTo(&used.window));
    EXPECT_TRUE(used.find<QComboBox>("choice.layout.tp").currentText().startsWith("auto"));
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(reset.isVisibleTo(&used.window));
    auto& box = used.find<QComboBox>("choice.layout.tp");
    used.window.activateWindow();
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Backspace, Qt::ControlModifier);
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(reset.isVisibleTo(&used.window));
}

TEST(ResetJourney, WhatHasToBeSaidIsNotTakenBack) {
    UsedWindow used({smallQuestion(), {}});
    EXPECT_FALSE(used.find<QToolButton>("reset.model").isVisibleTo(&used.window));
    used.find<KeyControl>("control.model").reset();
    EXPECT_FALSE(used.window.session().history().canUndo());
}

/// One server is not the one GPU that the scenario takes of it.
TEST(SweepJourney, APartOfAServerIsSweptByItsGpus) {
    UsedWindow used(
        {with(smallQuestion(), std::vector<Edit>{{"cluster.gpus", "1", "--gpus"}}).value(),
         {.page = "sweep"}});
    auto& key = used.find<QComboBox>("sweep.key");
    EXPECT_EQ(key.currentData().toString(), "cluster.gpus");
    const Table& rows = used.find<ReportTableView>("sweep.rows").tableModel().table();
    ASSERT_FALSE(rows.rows.empty());
    EXPECT_EQ(rows.columns.front().title, "GPUs in all");
    EXPECT_NE(rows.columns[1].title, "GPUs");
    EXPECT_EQ(rows.rows.front().front(), "1");
    key.setCurrentIndex(key.findData("cluster.nodes"));
    emit key.activated(key.currentIndex());
    ASSERT_TRUE(used.waits());
    const QString said = used.find<QLabel>("sweep.headline").text();
    EXPECT_TRUE(said.contains("all GPUs of each server")) << said.toStdString();
}

TEST(SweepJourney, SeveralValuesAreRowsAndACurve) {
    UsedWindow used({smallQuestion(), {}});
    emit used.find<KeyControl>("control.cluster.nodes").sweepAsked();
    EXPECT_EQ(used.window.page()->name(), "sweep");
    auto& values = used.find<QLineEdit>("sweep.values");
    values.setText("1, 2, 4");
    emit values.editingFinished();
    ASSERT_TRUE(used.waits());
    const Table& rows = used.find<ReportTableView>("sweep.rows").tableModel().table();
    ASSERT_EQ(rows.rows.size(), 3U);
    const CurveValues& curve = used.find<CurveWidget>("sweep.curve").values();
    ASSERT_EQ(curve.series.front().points.size(), 3U);
    EXPECT_GT(curve.series.front().points[2].y, curve.series.front().points[0].y);
    auto& table = used.find<ReportTableView>("sweep.rows");
    table.setCurrentIndex(table.shownRow(1));
    used.find<QPushButton>("sweep.use").click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QSpinBox>("number.cluster.nodes").value(), 2);
}

TEST(SweepJourney, WhatCannotBeIsExplained) {
    UsedWindow used({smallQuestion(), {.page = "sweep"}});
    auto& values = used.find<QLineEdit>("sweep.values");
    values.setText("many");
    emit values.editingFinished();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("sweep.headline").text().contains("many"));
}

TEST(SweepValues, HoldWhatIsAsked) {
    using Values = std::vector<std::string>;
    const Values usual = {"1", "2", "4"};
    EXPECT_EQ(valuesWith(usual, ""), usual);
    EXPECT_EQ(valuesWith(usual, "2"), usual);
    EXPECT_EQ(valuesWith(usual, "32"), (Values{"8", "16", "32", "64", "128"}));
    EXPECT_EQ(valuesWith(usual, "3"), (Values{"3", "6", "12"}));
    EXPECT_EQ(valuesWith({"bf16"}, "fp32"), (Values{"bf16", "fp32"}));
    UsedWindow used({smallQuestion({{"cluster.nodes", "32", "-n"}}), {}});
    ASSERT_TRUE(used.window.showPage("sweep"));
    ASSERT_TRUE(used.waits());
    const auto& values = used.find<QLineEdit>("sweep.values");
    EXPECT_EQ(values.text(), "8, 16, 32, 64, 128");
    used.window.session().edit({{"cluster.nodes", "3", "-n"}}, {.title = "test"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(values.text(), "3, 6, 12");
}

TEST(WindowWords, HaveControlsForFlags) {
    EXPECT_EQ(windowWords("try: --seq 8192, or -c dgx-h100"),
              "try: sequence length 8192, or hardware dgx-h100");
    EXPECT_EQ(windowWords("--global-batch: \"many\" is no number"),
              "global batch: \"many\" is no number");
    EXPECT_EQ(windowWords("try: --set layout.dp=null --set layout.vpp=null, or --gpus 256"),
              "try: data parallel (dp): auto, pipeline chunks (vpp): auto, or GPUs in all 256");
    EXPECT_EQ(windowWords("--set layout.dp=null"), "data parallel (dp): auto");
    EXPECT_EQ(windowWords("a re-run of fabricast plan --unheard of -5 GiB"),
              "a re-run of fabricast plan --unheard of -5 GiB");
}

TEST(WindowWords, NameTheControlsToSet) {
    EXPECT_EQ(windowHint("-c dgx-h100, or --gpu h100-sxm5-80gb --gpus-per-node 8"),
              "set \"Hardware\" on the left, such as dgx-h100");
    EXPECT_EQ(windowHint("-m llama-3.1-8b -c dgx-h100"),
              "set \"Model\" and \"Hardware\" on the left, such as llama-3.1-8b and dgx-h100");
    EXPECT_EQ(windowHint("--seq 4096, or 8192"), "sequence length 4096, or 8192");
    EXPECT_EQ(windowHint("one of the two"), "one of the two");
    EXPECT_EQ(windowHint("--unheard of"), "--unheard of");
}

}  // namespace sweep_journey_test
}  // namespace fabricast
