#pragma once
#include "planner/schedule/action_order.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

/// The order in which a rank with several chunks visits them: groups of `group` microbatches, each
/// group through all chunks; the last group may be smaller. Backwards visit the chunks from the
/// last. `stepAt(k, …)` is the k-th forward, or the k-th backward.
class InterleavedSteps {
public:
    InterleavedSteps(const PipelineShape& shape, std::int64_t rank) : shape_(shape), rank_(rank) {}

    [[nodiscard]] std::int64_t total() const { return shape_.chunks * shape_.microBatches; }

    [[nodiscard]] StageAction stepAt(std::int64_t step, Pass pass) const {
        const std::int64_t round = step / (shape_.group * shape_.chunks);
        const std::int64_t inRound = step % (shape_.group * shape_.chunks);
        const std::int64_t first = round * shape_.group;
        const std::int64_t width = std::min(shape_.group, shape_.microBatches - first);
        const std::int64_t visited = inRound / width;
        const std::int64_t chunk = pass == Pass::Forward ? visited : shape_.chunks - 1 - visited;
        return {static_cast<std::int32_t>(chunk * shape_.ranks + rank_),
                static_cast<std::int32_t>(first + inRound % width),
                pass};
    }

    /// Field by field: an action that is made first and then copied waits for its own stores.
    void addStep(std::int64_t step, Pass pass, StageActions& actions) const {
        const StageAction action = stepAt(step, pass);
        actions.emplace_back(action.stage, action.microBatch, action.pass);
    }

private:
    PipelineShape shape_;
    std::int64_t rank_;
};

}  // namespace fabricast
