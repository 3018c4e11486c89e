#include "simulator/engine/critical_path.h"

#include "planner/base/check.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

bool isPass(SimKind kind) {
    return kind == SimKind::Forward || kind == SimKind::Backward ||
           kind == SimKind::InputGradient || kind == SimKind::WeightGradient;
}

PathPart partOf(const SimOp& op) {
    if (op.kind == SimKind::Optimizer) {
        return PathPart::Optimizer;
    }
    switch (op.stream) {
        case SimStream::Compute:
            return PathPart::Compute;
        case SimStream::Tensor:
            return PathPart::Tensor;
        case SimStream::Expert:
            return PathPart::Expert;
        case SimStream::Data:
            return PathPart::Data;
        case SimStream::Pipeline:
            return PathPart::Pipeline;
        case SimStream::Copy:
            return PathPart::Copy;
        case SimStream::Host:
        case SimStream::Count_:
            break;
    }
    return PathPart::Host;
}

/// From the last op to end backwards. The chain has no gaps: the makespan is its length.
std::vector<OpIndex> chainOf(const SimRun& run) {
    const auto last = std::ranges::max_element(run.end);
    std::vector<OpIndex> chain;
    for (auto op = static_cast<OpIndex>(last - run.end.begin()); op != kNoOp; op = run.cause[op]) {
        const OpIndex cause = run.cause[op];
        FABRICAST_CHECK(run.start[op] == (cause == kNoOp ? SimTime(0) : run.end[cause]));
        chain.push_back(op);
    }
    std::ranges::reverse(chain);
    return chain;
}

using Stretch = std::pair<SimTime, SimTime>;

/// When an actor's passes run, in order.
std::vector<Stretch> passesOf(const SimProgram& program, const SimRun& run, ActorIndex actor) {
    std::vector<Stretch> stretches;
    for (OpIndex op = 0; op < program.ops().size(); ++op) {
        if (program.ops()[op].actor == actor && isPass(program.ops()[op].kind)) {
            stretches.emplace_back(run.start[op], run.end[op]);
        }
    }
    std::ranges::sort(stretches);
    return stretches;
}

void addBusy(const SimProgram& program, const SimRun& run, CriticalPath& path) {
    path.busy.resize(program.setting().actors);
    std::vector<SimTime> passes(program.setting().actors);
    for (OpIndex op = 0; op < program.ops().size(); ++op) {
        const SimOp& one = program.ops()[op];
        path.busy[one.actor][static_cast<std::size_t>(one.stream)] += run.lasted(op);
        if (isPass(one.kind)) {
            passes[one.actor] += run.lasted(op);
        }
    }
    path.busiest = static_cast<ActorIndex>(std::ranges::max_element(passes) - passes.begin());
}

/// How much of a stretch lies in stretches that are sorted and do not overlap; `from` is the first
/// of them that may.
SimTime overlapOf(const Stretch& one, const std::vector<Stretch>& others, std::size_t& from) {
    while (from < others.size() && others[from].second <= one.first) {
        ++from;
    }
    SimTime sum;
    for (std::size_t i = from; i < others.size() && others[i].first < one.second; ++i) {
        sum += std::min(one.second, others[i].second) - std::max(one.first, others[i].first);
    }
    return sum;
}

}  // namespace

CriticalPath criticalPath(const SimProgram& program, const SimRun& run) {
    CriticalPath path;
    if (program.ops().empty()) {
        return path;
    }
    path.ops = chainOf(run);
    addBusy(program, run, path);
    const std::vector<Stretch> busiest = passesOf(program, run, path.busiest);
    const auto add = [&path](PathPart part, SimTime time) {
        path.parts[static_cast<std::size_t>(part)] += time;
    };
    std::size_t from = 0;
    SimTime sum;
    for (const OpIndex index : path.ops) {
        const SimOp& op = program.ops()[index];
        const SimTime lasted = run.lasted(index);
        const bool inPass = isPass(op.kind) || op.kind == SimKind::Transfer;
        const bool elsewhere = inPass && op.actor != path.busiest;
        const SimTime worked =
            elsewhere ? overlapOf({run.start[index], run.end[index]}, busiest, from) : lasted;
        add(partOf(op), worked);
        add(PathPart::Bubble, lasted - worked);
        sum += lasted;
    }
    FABRICAST_CHECK(sum == run.makespan);
    return path;
}

}  // namespace fabricast
