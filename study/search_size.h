#pragma once
#include "planner/base/result.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/model_spec.h"

#include <cstdint>

namespace fabricast {

/// How large a model may be whose layouts are searched, and its cluster: the memory of each layout
/// is walked layer by layer, and expert by expert, so that a larger one would keep a user waiting.
struct SearchSize {
    std::int64_t layers = 0;
    std::int64_t experts = 1024;        ///< of a layer
    std::int64_t allExperts = 1 << 16;  ///< of all layers
    std::int64_t gpus = 10'000'000;     ///< no layout has more ranks
};
inline constexpr SearchSize kPlanSize = {.layers = 1024};
inline constexpr SearchSize kAdviseSize = {.layers = 256};  ///< a search for each way to train

/// Names the limit that a model or its cluster is beyond.
Result<void> checkSearchSize(const ModelSpec& model,
                             const ClusterSpec& cluster,
                             const SearchSize& most);

}  // namespace fabricast
