#include "planner/memory/walk_order.h"

#include <map>
#include <set>

namespace fabricast {

namespace {

/// The model chunks of a rank are numbered in the order in which a microbatch visits them.
std::map<std::int32_t, int> chunksOf(const StageActions& actions) {
    std::set<std::int32_t> stages;
    for (const StageAction& action : actions) {
        stages.insert(action.stage);
    }
    std::map<std::int32_t, int> chunks;
    for (const std::int32_t stage : stages) {
        chunks.emplace(stage, static_cast<int>(chunks.size()));
    }
    return chunks;
}

}  // namespace

PipelineOrder walkOrder(const StageActions& actions) {
    const std::map<std::int32_t, int> chunks = chunksOf(actions);
    PipelineOrder order;
    for (const StageAction& action : actions) {
        if (action.pass != Pass::InputGradient) {
            order.actions.push_back(
                {action.pass == Pass::Forward, chunks.at(action.stage), action.microBatch});
        }
    }
    return order;
}

}  // namespace fabricast
