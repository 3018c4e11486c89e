#include "planner/base/check.h"
#include "simulator/engine/simulate.h"

#include <numeric>
#include <string>

namespace fabricast {

Error deadlockOf(const SimProgram& program, std::span<const std::uint32_t> waits) {
    constexpr std::size_t kNamed = 4;
    std::string names;
    std::size_t waiting = 0;
    for (OpIndex op = 0; op < waits.size(); ++op) {
        if (waits[op] > 0 && ++waiting <= kNamed) {
            names += (names.empty() ? "" : "; ") + opText(program.ops()[op]);
        }
    }
    names += waiting > kNamed ? "; …" : "";
    return {Error::Code::BadInput,
            "simulate",
            std::to_string(waiting) + " ops wait for each other (deadlock): " + names,
            "another schedule, group or number of microbatches"};
}

void countBytes(const SimProgram& program, SimRun& run) {
    run.sent.resize(program.setting().actors);
    run.received.resize(program.setting().actors);
    Bytes moved;
    for (const SimHop& hop : program.hops()) {
        FABRICAST_CHECK(hop.bytes >= Bytes(0) && run.start[hop.op] >= run.end[hop.made]);
        run.sent[hop.from] += hop.bytes;
        run.received[hop.to] += hop.bytes;
        moved += hop.bytes;
    }
    const auto sum = [](const std::vector<Bytes>& all) {
        return std::accumulate(all.begin(), all.end(), Bytes(0));
    };
    FABRICAST_CHECK(sum(run.sent) == moved && sum(run.received) == moved);
}

}  // namespace fabricast
