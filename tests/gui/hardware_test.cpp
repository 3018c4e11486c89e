// What the page of hardware says of prices that are not known, or are those of other GPUs.
#include "study/hardware.h"

#include "gui/models/page_views.h"
#include "gui/pages/key_control.h"
#include "gui/pages/scenario_panel.h"
#include "gui/pages/table_view.h"
#include "planner/report/note_line.h"
#include "study/said_value.h"
#include "tests/gui/used_window.h"

#include <QPushButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>

namespace fabricast {
namespace hardware_test {

TEST(Hardware, WhoseGpuHasNoPriceToBuyIsNotSaidNeverToPayOff) {
    const std::array<std::string, 2> names = {"4x-rtx-4090", "dgx-h100"};
    const HardwareAnswer answer =
        whichHardware(smallQuestion({{"price.profile", "2.10", "--price"}}), names, openBench(), {})
            .value();
    EXPECT_NE(hardwareHeadline(answer).find("Fastest: dgx-h100 with 8 GPUs."), std::string::npos);
    const Table rows = hardwareRows(answer);
    EXPECT_EQ(rows.rows[0][7], "not known");
    const std::vector<std::string> notes = hardwareNotes(answer);
    const auto says = [&notes](const char* words) {
        return std::ranges::any_of(notes, [words](const std::string& note) {
            return note.find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(says("Not known: what it costs to buy rtx-4090"));
    EXPECT_TRUE(says("the price that was given is that of every GPU here: "));
}

/// The first row of a scenario whose file says this of its cluster is what the strip says.
void expectOwnFirst(const std::string& cluster, const std::string& own) {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("one.json").toStdString();
    std::ofstream(path) << R"({"schema": "fabricast.scenario/1", "model": "qwen2.5-0.5b",)"
                        << R"("cluster": )" << cluster << "}";
    UsedWindow used({readQuestion(path, "").value(), {.page = "hardware"}});
    const Plan& best = used.window.session().answers().report->plans.front();
    const Table& rows = used.find<ReportTableView>("hardware.rows").tableModel().table();
    ASSERT_GT(rows.rows.size(), 1U);
    EXPECT_EQ(rows.rows[0][0], own);
    EXPECT_EQ(rows.rows[0][1], grouped(best.scenario.cluster.gpus()));
    EXPECT_EQ(rows.rows[0][2], grouped(std::llround(best.step.tokensPerSecond)));
}

TEST(Hardware, BeginsWithThatOfTheScenarioAsItsFileSaysIt) {
    expectOwnFirst(R"({"gpu": "rtx-3060", "gpus": 1})", "rtx-3060");
    expectOwnFirst(R"({"name": "dgx-h100", "nodes": 2, "fabric": "roce-100"})", "dgx-h100");
}

TEST(Hardware, IsSortedByAClickOnATitle) {
    UsedWindow used({smallQuestion(), {.page = "hardware"}});
    auto& view = used.find<ReportTableView>("hardware.rows");
    ASSERT_TRUE(view.isSortingEnabled());
    constexpr int kGpus = 1;
    view.sortByColumn(kGpus, Qt::DescendingOrder);
    const Table shown = view.shownTable();
    ASSERT_GT(shown.rows.size(), 2U);
    EXPECT_TRUE(std::ranges::is_sorted(
        shown.rows, std::greater(), [](const auto& row) { return std::stoi(row[kGpus]); }));
    view.setCurrentIndex(view.model()->index(0, 0));
    used.find<QPushButton>("hardware.use").click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(saidValue(used.window.session().question(), "cluster.name"), shown.rows[0][0]);
}

/// As one is bought: the server, how many of them, the GPUs that makes, and what joins them.
TEST(Hardware, IsChosenFromTheServerToTheNetwork) {
    UsedWindow used({smallQuestion(), {}});
    QStringList titles;
    for (const KeyControl* control : used.window.scenario().controls()) {
        if (control->about().path.startsWith("cluster.")) {
            titles << QString(control->about().title).remove('&');
        }
    }
    EXPECT_EQ(titles.join(", ").toStdString(),
              "Hardware, Servers, GPUs of each, GPUs in all, Network, Host memory");
}

TEST(Hardware, SaysOnceWhatIsAssumedOnEachBox) {
    const std::array<std::string, 2> names = {"4x-rtx-4090", "dgx-h100"};
    const HardwareAnswer answer = whichHardware(smallQuestion(), names, openBench(), {}).value();
    const auto isSequence = [](const std::string& note) {
        return note.find("sequence 1024 (default") != std::string::npos;
    };
    EXPECT_EQ(std::ranges::count_if(answer.notes, isSequence), 1);
    const auto said = std::ranges::find_if(answer.notes, isSequence);
    ASSERT_NE(said, answer.notes.end());
    EXPECT_EQ(said->find("dgx-h100"), std::string::npos) << *said;
}

/// "Assumed: dgx-h100: left out: …" would be two kinds of a note.
TEST(Hardware, NotesOfABoxKeepTheirKind) {
    EXPECT_EQ(noteLine(noteAbout("dgx-h100", "left out: ddp: 2 s")),
              "left out: dgx-h100: ddp: 2 s");
    EXPECT_EQ(noteLine(noteAbout("dgx-h100", "sequence 4096 (default)")),
              "assumed: dgx-h100: sequence 4096 (default)");
    const HardwareAnswer answer{.notes = {noteAbout("dgx-h100", "left out: ddp: 2 s")}};
    EXPECT_EQ(hardwareNotes(answer).front(), "left out: dgx-h100: ddp: 2 s");
}

}  // namespace hardware_test
}  // namespace fabricast
