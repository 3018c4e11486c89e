#include "planner/base/check.h"
#include "simulator/memory/memory_curve.h"

namespace fabricast {
namespace {

bool isPass(const SimOp& op) {
    return op.kind <= SimKind::WeightGradient && op.microBatch >= 0;
}

bool isOptimizer(const SimOp& op) {
    return op.kind == SimKind::Bookkeeping || op.kind == SimKind::Optimizer;
}

/// The passes are the first kinds of ops, in the same order.
StageAction actionOf(const SimOp& op) {
    return {.stage = op.stage,
            .microBatch = op.microBatch,
            .pass = static_cast<Pass>(static_cast<std::uint8_t>(op.kind))};
}
static_assert(static_cast<int>(SimKind::WeightGradient) == static_cast<int>(Pass::WeightGradient));

}  // namespace

StageActions actionsOf(const RankPasses& rank) {
    StageActions actions;
    actions.reserve(rank.passes.size());
    for (const RankPass& pass : rank.passes) {
        actions.push_back(pass.action);
    }
    return actions;
}

std::vector<RankPasses> passesOfActors(const SimProgram& program, const SimRun& run) {
    std::vector<RankPasses> actors(
        program.setting().actors,
        {.passes = {}, .optimizerBegin = run.makespan, .optimizerEnd = run.makespan});
    std::vector<bool> steps(actors.size(), false);
    for (OpIndex index = 0; index < program.ops().size(); ++index) {
        const SimOp& op = program.ops()[index];
        RankPasses& mine = actors[op.actor];
        if (isPass(op)) {
            const StageAction action = actionOf(op);
            if (mine.passes.empty() || mine.passes.back().action != action) {
                FABRICAST_CHECK(mine.passes.empty() || mine.passes.back().end <= run.start[index]);
                mine.passes.push_back({action, run.start[index], run.end[index]});
            }
            mine.passes.back().end = run.end[index];
        } else if (isOptimizer(op)) {
            if (!steps[op.actor]) {
                mine.optimizerBegin = run.start[index];
                steps[op.actor] = true;
            }
            mine.optimizerEnd = run.end[index];
        }
    }
    return actors;
}

}  // namespace fabricast
