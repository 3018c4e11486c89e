#include "machine/measured_table.h"

#include "planner/measured/nccl_tests.h"
#include "tests/support/node_record.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(MeasuredTable, ShowsRatesTimesAndSizes) {
    auto gpu = parseMeasurements(kNodeRecord, "run.cuda.jsonl");
    auto host = parseMeasurements(kNodeHostRecord, "run.host.jsonl");
    ASSERT_TRUE(gpu && host);
    EXPECT_EQ(
        alignedText(measuredTable(mergeMeasurements({*std::move(gpu), *std::move(host)}).value())),
        "measured            points  samples   best        spread\n"
        "disk read                1        0                       1 not possible here\n"
        "footprint context        1        1  430.3  MiB\n"
        "footprint cublaslt       1        1     20  MiB\n"
        "launch stream            1        2   2.15  us     2.3 %\n"
        "memory triad             1        1    200  GB/s\n"
        "transfer h2d             2        4  23.97  GB/s   0.0 %\n");
}

// Of 8 bytes nccl-tests prints a rate of 0.00: such rows have a time only.
TEST(MeasuredTable, ShowsARateWhereverItIsAmongTimes) {
    const std::string head =
        "# Collective test starting: all_reduce_perf\n"
        "#       size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw "
        "#wrong\n";
    const std::string small = "  8 2 float sum -1 10.00 0.00 0.00 0 10.00 0.00 0.00 0\n";
    const std::string large =
        "  1073741824 268435456 float sum -1 5000 214.75 322.12 0 5000 214.75 322.12 0\n";
    for (const std::string& rows : {small + large, large + small}) {
        auto record = parseNcclTests(head + rows, "run.log", {.ranks = 4});
        ASSERT_TRUE(record) << record.error().text();
        const auto kinds = measuredKinds(mergeMeasurements({*std::move(record)}).value());
        ASSERT_EQ(kinds.size(), 1U);
        EXPECT_EQ(kinds.front().unit, "GB/s (bus)");
        EXPECT_DOUBLE_EQ(kinds.front().best, 322.12);
    }
}

}  // namespace
}  // namespace fabricast
