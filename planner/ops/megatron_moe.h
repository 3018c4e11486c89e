#pragma once
#include "planner/ops/megatron_linear.h"
#include "planner/ops/rank_shape.h"

namespace fabricast {

/// megatron-core's MoELayer, from the norm's output to the sum of routed and shared experts.
TensorId megatronMoe(MegatronCode& m, TensorId x);

/// The router's output for every token and expert: a probability, and whether it goes there.
struct Routing {
    TensorId probabilities = kNoTensor;
    TensorId map = kNoTensor;
};
Routing topKRouter(MegatronCode& m, const MoeShape& shape, TensorId x);
/// Bytes of a routing probability: the router's type.
std::int64_t routerWidth(const MegatronCode& m);

/// Tokens as the local experts take them, with their probabilities, and what the
/// dispatcher needs to return them.
struct Dispatched {
    TensorId tokens = kNoTensor;
    TensorId probabilities = kNoTensor;
    TensorId order = kNoTensor;  ///< where each permuted row came from
    TensorIds variables;         ///< of the layer's forward: alive until it returns
};
Dispatched dispatchTokens(MegatronCode& m,
                          const MoeShape& shape,
                          TensorId x,
                          const Routing& routing);
/// The experts' output back in the order of the tokens.
TensorId combineTokens(MegatronCode& m,
                       const MoeShape& shape,
                       TensorId output,
                       const Dispatched& dispatched);

/// The local experts: grouped GEMMs, or one expert after another.
TensorId routedExperts(MegatronCode& m, const MoeShape& shape, const Dispatched& dispatched);

}  // namespace fabricast
