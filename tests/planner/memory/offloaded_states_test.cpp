#include "planner/memory/walk_stage.h"
#include "tests/programs/oracle_rows/oracle_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// The recorder counts CPU tensors of 4 KiB and more, so small states may be missing from it.
constexpr double kSmallTensors = 2e-3;

class OffloadedStates : public testing::TestWithParam<const char*> {};

// host_bytes: what DeepSpeed's swappers, buffers and offloaded states, FSDP1's shards and
// Megatron's offloaded pieces take.
TEST_P(OffloadedStates, TakeTheHostMemoryThatWasRecorded) {
    const CsvTable table =
        CsvTable::read(std::string(FABRICAST_SOURCE_DIR "/tests/cases/memory/") + GetParam());
    const RowReader reader = readerFor(table);
    ASSERT_NE(reader, nullptr);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const OracleAnswer answer = answerRecord(table, row, reader);
        ASSERT_EQ(answer.status, "ok") << answer.why;
        const auto recorded = static_cast<double>(table.integer(row, "host_bytes"));
        const auto found = static_cast<double>(answer.memory.host.count());
        EXPECT_NEAR(found / recorded, 1.0, kSmallTensors) << "row " << row;
    }
}

INSTANTIATE_TEST_SUITE_P(,
                         OffloadedStates,
                         testing::Values("offload_memory.csv", "megatron_offload_memory.csv"),
                         [](const auto& file) {
                             const std::string name = file.param;
                             return name.substr(0, name.find('.'));
                         });

class SavedOnHost : public testing::TestWithParam<const char*> {};

// packed_bytes: what save_on_cpu packs in a forward, every tensor that a node saves by itself.
TEST_P(SavedOnHost, TakesTheHostMemoryThatWasPackedToTheByte) {
    const CsvTable table =
        CsvTable::read(std::string(FABRICAST_SOURCE_DIR "/tests/cases/memory/") + GetParam());
    const RowReader reader = readerFor(table);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const OracleAnswer answer = answerRecord(table, row, reader);
        ASSERT_EQ(answer.status, "ok") << answer.why;
        EXPECT_EQ(answer.memory.host.count(), table.integer(row, "packed_bytes")) << "row " << row;
    }
}

INSTANTIATE_TEST_SUITE_P(,
                         SavedOnHost,
                         testing::Values("saved_on_cpu_memory.csv",
                                         "fsdp2_saved_on_cpu_memory.csv"),
                         [](const auto& file) {
                             const std::string name = file.param;
                             return name.substr(0, name.find('.'));
                         });

// A step reads and writes what stays on drives once, but for the parameters, which are fetched from
// host memory as long as they fit max_in_cpu.
TEST(SwappedStates, LieOnDrivesAsFarAsTheyAreWrittenInAStep) {
    const CsvTable table =
        CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/memory/offload_memory.csv");
    const RowReader reader = readerFor(table);
    int swapped = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t written = table.integer(row, "nvme_write_bytes");
        if (written == 0 || table.text(row, "offload_param") == "nvme") {
            continue;
        }
        ++swapped;
        const OracleAnswer answer = answerRecord(table, row, reader);
        ASSERT_EQ(answer.status, "ok") << answer.why;
        EXPECT_NEAR(static_cast<double>(answer.memory.nvme.count()) / static_cast<double>(written),
                    1.0,
                    kSmallTensors)
            << "row " << row;
    }
    EXPECT_GE(swapped, 5);
}

}  // namespace
}  // namespace fabricast
