#include "planner/memory/walk_stage.h"
#include "planner/spec/setting_names.h"
#include "tests/programs/oracle_rows/oracle_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fabricast {
namespace {

Result<OracleRow> stepOf(const CsvTable& table, std::size_t row) {
    if (table.has("source")) {
        return fsdp2Row(table, row);
    }
    return table.text(row, "framework") == "trainer" ? peftRow(table, row) : zeroRow(table, row);
}

Result<OracleRow> runOf(const CsvTable& table, std::size_t row) {
    FABRICAST_ASSIGN(OracleRow out, stepOf(table, row));
    PhaseSettings& phases = out.scenario.settings.phases;
    phases.loading = fromName<Loading>(table.text(row, "loading")).value();
    phases.checkpoint = fromName<SavedWeights>(table.text(row, "checkpoint")).value();
    phases.evaluationBatch = table.integer(row, "eval_b");
    phases.keptLogits = table.integer(row, "kept");
    return out;
}

struct PhaseFile {
    const char* name;
    double worstReserved;
};
class RecordedPhases : public testing::TestWithParam<PhaseFile> {};

/// Every phase's tensors, and what the allocator holds after all of them.
TEST_P(RecordedPhases, AreWalkedToTheByteOrNearly) {
    constexpr double kWorst = 1e-4;
    const CsvTable table =
        CsvTable::read(std::string(FABRICAST_SOURCE_DIR "/tests/cases/memory/") + GetParam().name);
    ASSERT_GT(table.rows(), 0U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto run = runOf(table, row);
        ASSERT_TRUE(run) << row;
        const auto memory = walkStage(run->scenario, {.stage = run->stage, .rank = run->rank});
        ASSERT_TRUE(memory) << row << memory.error().text();
        Bytes most;
        for (const PhasePeak& phase : memory->phases) {
            const auto recorded = static_cast<double>(
                table.integer(row, std::string(phase.name) + "_requested_bytes"));
            const auto found = static_cast<double>(phase.requested.count());
            EXPECT_LE(std::abs(found / recorded - 1), kWorst)
                << "row " << row << ", " << phase.name << ": " << phase.requested.count();
            most = std::max(most, phase.requested);
        }
        EXPECT_EQ(memory->requested, most);
        EXPECT_EQ(memory->atPeak.total(), most);
        const auto reserved = static_cast<double>(table.integer(row, "reserved_bytes"));
        const auto held = static_cast<double>(memory->reserved.value.count());
        EXPECT_LE(std::abs(held / reserved - 1), GetParam().worstReserved)
            << "row " << row << ": " << held;
    }
}

// Two rows of fully_shard are 13 and 15 % above what was recorded, all others within 10 %. So are
// these rows' steps alone (1870 MiB for 1620): what evaluation adds is as recorded. Of the model as
// one unit two rows, again their steps alone, are 25 and 37 % above.
INSTANTIATE_TEST_SUITE_P(,
                         RecordedPhases,
                         testing::Values(PhaseFile{"phase_memory.csv", 0.16},
                                         PhaseFile{"fsdp2_phase_memory.csv", 0.16},
                                         PhaseFile{"fsdp2_one_unit_phase_memory.csv", 0.37}));

}  // namespace
}  // namespace fabricast
