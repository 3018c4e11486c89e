// schedule_oracles FOLDER: compares the recorded schedules of a folder (actions.jsonl, timing.csv,
// rejections.csv, comms.jsonl, comms.csv) with the product's, and prints what differs. Exits with 1
// when something does.
#include "tests/programs/schedule_rows/recorded_schedules.h"

#include <cstdio>
#include <string>

namespace fabricast {
namespace {

bool report(const char* what, const Comparison& comparison) {
    for (const std::string& difference : comparison.differences) {
        std::printf("%s\n", difference.c_str());
    }
    std::printf("%s: %d rows, %zu differ\n", what, comparison.rows, comparison.differences.size());
    return comparison.differences.empty();
}

}  // namespace
}  // namespace fabricast

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: schedule_oracles FOLDER\n");
        return 2;
    }
    const std::string folder = arguments[1];
    const bool orders =
        fabricast::report("orders", fabricast::compareOrders(folder + "/actions.jsonl"));
    const bool times = fabricast::report("times", fabricast::compareTimes(folder + "/timing.csv"));
    const bool refusals =
        fabricast::report("refusals", fabricast::compareRefusals(folder + "/rejections.csv"));
    const bool calls =
        fabricast::report("programs", fabricast::comparePrograms(folder + "/comms.jsonl"));
    const bool replays =
        fabricast::report("replays", fabricast::compareReplays(folder + "/comms.csv"));
    return orders && times && refusals && calls && replays ? 0 : 1;
}
