// Links and switches that a click in the network fails, and heals.
#include "gui/charts/network_map_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/pages/table_view.h"
#include "gui/window/study_files.h"
#include "tests/gui/used_window.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <algorithm>

namespace fabricast {
namespace failure_journey_test {

/// Data parallelism over two servers of eight rails.
Question twoServers() {
    return smallQuestion({{"cluster.name", "dgx-h100", "-c"},
                          {"cluster.nodes", "2", "-n"},
                          {"layout.dp", "16", "--layout"}});
}

const Table& rowsOf(UsedWindow& used) {
    return used.find<ReportTableView>("topology.failures").tableModel().table();
}

std::uint32_t boxOf(const NetworkMapWidget& map, const std::string& label) {
    return std::ranges::find(map.values().boxes, label, &MapBox::label)->id;
}

TEST(FailureJourney, AClickFailsASwitchAndAnotherHealsIt) {
    UsedWindow used({twoServers(), {.page = "topology"}});
    auto& map = used.find<NetworkMapWidget>("topology.map");
    EXPECT_TRUE(rowsOf(used).rows.empty());
    EXPECT_TRUE(used.find<QListWidget>("topology.failed").isHidden()) << "nothing has failed";
    emit map.boxPicked(boxOf(map, "leaf2"));
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QListWidget>("topology.failed").count(), 1);
    EXPECT_FALSE(used.find<QListWidget>("topology.failed").isHidden());
    EXPECT_TRUE(used.find<QLabel>("topology.headline").text().contains("1 thing has failed"));
    const Table rows = rowsOf(used);
    ASSERT_GE(rows.rows.size(), 5U);
    EXPECT_EQ(rows.rows[0][0], "GPUs that reach each other");
    EXPECT_EQ(rows.rows[0][2], "16");
    const auto step =
        std::ranges::find_if(rows.rows, [](const auto& row) { return row[0] == "simulated step"; });
    ASSERT_NE(step, rows.rows.end());
    EXPECT_FALSE((*step)[1].empty());
    EXPECT_FALSE((*step)[2].empty());
    emit map.boxPicked(boxOf(map, "leaf2"));
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(rowsOf(used).rows.empty());
}

TEST(FailureJourney, TheNetworkIsThatOfTheServersThatAreAskedFor) {
    const std::vector<Edit> servers = {{"cluster.name", "dgx-h100", "-c"},
                                       {"cluster.nodes", "2", "-n"}};
    UsedWindow used({smallQuestion(servers), {.page = "topology"}});
    for (const char* const nodes : {"4", "8", "2"}) {
        used.window.session().edit({{"cluster.nodes", nodes, "-n"}}, {.title = "Servers"});
        ASSERT_TRUE(used.waits());
        const QString headline = used.find<QLabel>("topology.headline").text();
        EXPECT_TRUE(headline.contains(QString(nodes) + " x dgx-h100")) << headline.toStdString();
    }
}

/// They are kept: with the server its failure comes back.
TEST(FailureJourney, NamesThatTheNetworkDoesNotHaveAnyMoreAreNotListed) {
    const std::vector<Edit> servers = {{"cluster.name", "dgx-h100", "-c"},
                                       {"cluster.nodes", "4", "-n"}};
    UsedWindow used({smallQuestion(servers), {.page = "topology"}});
    used.window.session().setFailed({"node0", "node3"}, "Fail");
    ASSERT_TRUE(used.waits());
    const auto& list = used.find<QListWidget>("topology.failed");
    EXPECT_EQ(list.count(), 2);
    used.window.session().edit({{"cluster.nodes", "2", "-n"}}, {.title = "Servers"});
    ASSERT_TRUE(used.waits());
    ASSERT_EQ(list.count(), 1);
    EXPECT_TRUE(list.item(0)->text().startsWith("node0"));
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(list.count(), 2);
}

TEST(FailureJourney, KeysFailWhatTheyAreOn) {
    UsedWindow used({twoServers(), {.page = "topology"}});
    auto& map = used.find<NetworkMapWidget>("topology.map");
    QTest::keyClick(&map, Qt::Key_Down);
    ASSERT_GE(map.hovered(), 0);
    QTest::keyClick(&map, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    ASSERT_EQ(used.find<QListWidget>("topology.failed").count(), 1);
    auto& list = used.find<QListWidget>("topology.failed");
    list.setCurrentRow(0);
    QTest::keyClick(&list, Qt::Key_Delete);
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(list.count(), 0);
}

TEST(FailureJourney, ATypedServerCutsItsGpusOffUntilItIsUndone) {
    UsedWindow used({twoServers(), {.page = "topology"}});
    auto& name = used.find<QLineEdit>("topology.fail");
    name.setText("node1");
    QTest::keyClick(&name, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("topology.headline").text().contains("8 GPUs are cut off"));
    EXPECT_EQ(rowsOf(used).rows.back()[2], "does not end");
    QAction* undo = used.window.findChild<QAction*>("action.undo");
    EXPECT_EQ(undo->text(), "&Undo: Fail node1");
    undo->trigger();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(rowsOf(used).rows.empty());
    used.window.findChild<QAction*>("action.redo")->trigger();
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(rowsOf(used).rows.empty());
    used.find<QPushButton>("topology.healAll").click();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.window.session().failed().empty());
}

TEST(FailureJourney, AnUnknownNameIsExplainedAndChangesNothing) {
    UsedWindow used({twoServers(), {.page = "topology"}});
    auto& name = used.find<QLineEdit>("topology.fail");
    name.setText("garden");
    QTest::keyClick(&name, Qt::Key_Return);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.window.session().failed().empty());
    EXPECT_TRUE(used.find<QLabel>("topology.headline").text().contains("garden"));
}

TEST(FailureJourney, WhatHasFailedIsSavedWithTheView) {
    UsedWindow used({twoServers(), {.page = "topology"}});
    used.window.session().setFailed({"leaf2", "node0/nic3-leaf3"}, "Fail");
    ASSERT_TRUE(used.waits());
    const QString file = used.folder.filePath("study.json");
    ASSERT_TRUE(used.window.files().saveTo(file));
    UsedWindow again(openStudy(file.toStdString()).value());
    EXPECT_EQ(again.window.session().failed(), used.window.session().failed());
    EXPECT_EQ(rowsOf(again).rows, rowsOf(used).rows);
}

}  // namespace failure_journey_test
}  // namespace fabricast
