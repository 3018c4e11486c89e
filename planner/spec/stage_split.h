#pragma once
#include "planner/base/result.h"
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// Layers of each model chunk, in the order in which a microbatch visits them: pp · vpp numbers
/// that sum to `layers`. Chunk c runs on pipeline rank c mod pp, or, in a V schedule, goes down the
/// ranks and up again.
///     splitLayers(126, {.stages = 8, .chunks = 1, .pipeline = {.embeddingWeight = 1, .headWeight =
///     1}})
///         →  15, 16, 16, 16, 16, 16, 16, 15
struct StageSplit {
    std::int64_t stages = 1;  ///< pipeline ranks
    std::int64_t chunks = 1;  ///< model chunks on each
    PipelineSettings pipeline{};
};
Result<std::vector<std::int64_t>> splitLayers(std::int64_t layers, const StageSplit& split);

/// The default split is even, one more layer for the first ones if there is a
/// remainder. Megatron takes no remainder: this returns whether there is one.
bool splitsEvenly(std::int64_t layers, const StageSplit& split);

/// How many layers of a chunk, from its first, are checkpointed: `block:N` takes N of them.
std::int64_t checkpointedLayers(const RecomputeSettings& recompute, std::int64_t layers);

/// The first of tp, pp and cp that splits the model or its sequences, by its key.
inline std::optional<std::string> splitAxis(const Layout& layout) {
    const std::pair<const char*, std::int64_t> axes[] = {
        {"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}};
    for (const auto& [axis, ranks] : axes) {
        if (ranks > 1) {
            return axis;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
