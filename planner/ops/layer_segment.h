#pragma once
#include "planner/base/result.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <optional>

namespace fabricast {

/// The operations of one layer, as the stack's model code writes them.
Result<OpList> layerSegment(const Scenario& scenario, std::int64_t layer);

/// What of a mixture's expert layers is not modelled, by name: the same for every micro-batch and
/// recomputation.
Result<void> checkExperts(const Scenario& scenario);

/// A layer of each kind that the model has. The last one represents its kind: the first layer's
/// input may be frozen.
struct LayerOps {
    std::optional<OpList> dense;
    std::optional<OpList> sparse;
    /// Before the first trained layer, and how many there are of the dense ones.
    std::optional<OpList> frozen;
    std::int64_t frozenLayers = 0;
};
Result<LayerOps> layerOps(const Scenario& scenario);

}  // namespace fabricast
