#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

struct ParameterAdapter;

enum class HfScoring {
    SoftmaxOfAll,      ///< in fp32, of which the highest are chosen
    SoftmaxOfChosen,   ///< the highest logits are chosen first
    SoftmaxOfWidened,  ///< the same of fp32 logits
    SoftmaxOfGroups,   ///< of fp32 logits; those outside the chosen groups count as 0
    SigmoidOfWidened,  ///< of logits cast to fp32; chosen by a bias beside them, without groups
    Sigmoid            ///< of fp32 logits; groups of experts are chosen first, by a bias beside it
};

/// What a family's router in transformers does.
struct HfRouter {
    std::string_view family;
    HfScoring scoring = HfScoring::SoftmaxOfAll;
    bool registeredFirst = true;  ///< before the experts: the order of parameters
    bool narrowsScores = false;   ///< the chosen scores get the type of the logits
    bool normalises = true;       ///< the chosen scores are divided by their sum
    bool sharedFirst = true;      ///< shared experts are run before the routed ones
    bool transposed = false;      ///< stacks are [experts, inputs, outputs]
    bool everyExpert = false;     ///< multiplies each token by every expert, most by a score of 0
    bool returnsScores = false;   ///< the layer's variable holds them until it returns
    bool leafOfZero3 = false;     ///< DeepSpeed's ZeRO-3 gathers and frees the block as one module
};
/// nullptr: its expert layers are not modelled.
const HfRouter* hfRouterOf(std::string_view family);
/// True where the block's parameters are gathered and freed together.
bool isLeafOfZero3(const Scenario& scenario);
/// "mixtral, qwen2_moe and …"
std::string hfRouterFamilies();

/// How tokens are distributed: what all experts read.
struct HfRouting {
    TensorId tokens = kNoTensor;
    TensorId scores = kNoTensor;   ///< of the chosen experts, top-k a token
    TensorId indices = kNoTensor;  ///< which they are
    TensorId logits = kNoTensor;
};

/// The stacks of an expert layer: [experts, 2·width, hidden] and [experts, hidden, width], and
/// their biases; -1: none.
struct HfExpertStacks {
    int gateAndUp = 0;
    int down = 0;
    int gateAndUpBias = -1;
    int downBias = -1;
    const ParameterAdapter* gateAndUpAdapter = nullptr;
    const ParameterAdapter* downAdapter = nullptr;
};

/// The block's router: its weight, its bias (-1: none) and PEFT's adapter of it (nullptr: none).
struct HfGate {
    int weight = -1;
    int bias = -1;
    const ParameterAdapter* adapter = nullptr;
};
HfRouting hfRoute(
    OpBuilder& g, const Scenario& scenario, const HfRouter& code, const HfGate& gate, TensorId x);

/// The product of the gated halves of `both`, 2·inner elements; they are clamped in GPT-OSS's. What
/// it has names for lives until it returns.
TensorId hfGated(OpBuilder& g, const MoeSpec& moe, TensorId both, std::int64_t inner);

/// transformers' block of routed experts, from the norm's output on: the router, then the experts
/// as `settings.kernels.experts` has them.
struct HfMoe {
    TensorId out = kNoTensor;
    TensorId kept = kNoTensor;  ///< alive until the layer returns
};
/// Llama 4's: all rows for each expert, scored, and two batched products.
HfMoe hfAllExperts(OpBuilder& g, const Scenario& scenario, TensorId x);
/// The MLP beside the routed experts.
TensorId hfShared(OpBuilder& g, const Scenario& scenario, TensorId x);
/// What it gives, weighed by a sigmoid of a product with `x`.
TensorId hfGateShared(OpBuilder& g, const Scenario& scenario, TensorId x, TensorId shared);
/// The tokens under another name, whose gradient is summed up by itself.
TensorId viewOfTokens(OpBuilder& g, TensorId x);
HfMoe huggingFaceMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

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
