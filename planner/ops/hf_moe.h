#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

struct ParameterAdapter;

/// What a family's router in transformers does, beside the softmax over all experts.
struct HfRouter {
    std::string_view family;
    bool registeredFirst = true;  ///< before the experts: the order of parameters
    bool narrowsScores = false;   ///< the chosen scores get the type of the logits
    bool normalises = true;       ///< the chosen scores are divided by their sum
};
/// nullptr: its expert layers are not modelled.
const HfRouter* hfRouterOf(std::string_view family);

/// How tokens are distributed: what all experts read.
struct HfRouting {
    TensorId tokens = kNoTensor;
    TensorId scores = kNoTensor;   ///< of the chosen experts, top-k a token
    TensorId indices = kNoTensor;  ///< which they are
    TensorId logits = kNoTensor;
};

/// The stacks of an expert layer: [experts, 2·width, hidden] and [experts, hidden, width].
struct HfExpertStacks {
    int gateAndUp = 0;
    int down = 0;
    const ParameterAdapter* gateAndUpAdapter = nullptr;
    const ParameterAdapter* downAdapter = nullptr;
};

/// transformers' block of routed experts, from the norm's output on: the router, then the experts
/// as `settings.kernels.experts` has them.
TensorId huggingFaceMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

/// experts_implementation="grouped_mm", the default: rows sorted by expert, two grouped products.
/// Where autograd forms rows' gradients by index it sorts again.
TensorId hfGroupedExperts(OpBuilder& g,
                          const Scenario& scenario,
                          const HfExpertStacks& weights,
                          const HfRouting& routing);
/// experts_implementation="eager": one expert after another on the rows that chose it. Rows are
/// distributed evenly.
TensorId hfLoopedExperts(OpBuilder& g,
                         const Scenario& scenario,
                         const HfExpertStacks& weights,
                         const HfRouting& routing);

}  // namespace fabricast
