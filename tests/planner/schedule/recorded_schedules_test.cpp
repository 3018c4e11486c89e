#include "tests/programs/schedule_rows/recorded_schedules.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const std::string kFolder = FABRICAST_SOURCE_DIR "/tests/cases/schedules/";

void expectEqual(const Comparison& comparison, int rows) {
    EXPECT_EQ(comparison.rows, rows);
    for (const std::string& difference : comparison.differences) {
        ADD_FAILURE() << difference;
    }
}

TEST(RecordedSchedules, AreReproducedActionByAction) {
    expectEqual(compareOrders(kFolder + "actions.jsonl"), 236);
    expectEqual(compareOrders(kFolder + "more/actions.jsonl"), 168);
    expectEqual(compareOrders(kFolder + "v_controlled.jsonl"), 24);
}

TEST(RecordedSchedules, TakeTheSameTimeToTheUnit) {
    expectEqual(compareTimes(kFolder + "timing.csv"), 2202);
    expectEqual(compareTimes(kFolder + "more/timing.csv"), 1064);
}

TEST(RecordedSchedules, AreRefusedInTheFrameworksWords) {
    expectEqual(compareRefusals(kFolder + "rejections.csv"), 182);
    expectEqual(compareRefusals(kFolder + "more/rejections.csv"), 89);
}

TEST(RecordedSchedules, MakeTheSameCallsInTheSameOrder) {
    expectEqual(comparePrograms(kFolder + "comms.jsonl"), 37);
    expectEqual(comparePrograms(kFolder + "more/comms.jsonl"), 24);
}

TEST(RecordedSchedules, MeetAtTheSameTimes) {
    expectEqual(compareReplays(kFolder + "comms.csv"), 222);
    expectEqual(compareReplays(kFolder + "more/comms.csv"), 192);
}

}  // namespace
}  // namespace fabricast
