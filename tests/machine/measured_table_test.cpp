#include "machine/measured_table.h"

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

}  // namespace
}  // namespace fabricast
