#pragma once
#include "planner/ops/hf_moe.h"
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// What TopKGate hands to the dispatch: for each token and route a row of the experts' buffer, and
/// the weight of what comes back from there.
struct DeepSpeedRoutes {
    TensorId indices = kNoTensor;    ///< int32
    TensorId locations = kNoTensor;  ///< int32
    TensorId gates = kNoTensor;      ///< fp32
};

/// Rows of each expert's buffer on the rank that sends them: `capacity_factor` times the even
/// share, at least `min_capacity`; without a factor no token is dropped, and the buffer is that of
/// the fullest expert, `imbalance` times the even share.
std::int64_t deepspeedCapacity(const Scenario& scenario);

/// deepspeed.moe.sharded_moe.TopKGate of DeepSpeed 0.19.8 with its defaults: an fp32 product,
/// random token selection for one route, a sampled second expert for two.
DeepSpeedRoutes deepspeedGate(OpBuilder& g, const Scenario& scenario, int weight, TensorId x);

/// deepspeed.moe.layer.MoE: the gate; rows put into one buffer [experts, capacity, hidden], sent to
/// the experts' ranks and back by all-to-alls of the whole buffer; experts one after another; rows
/// picked, weighted in fp32 and summed. With `moe.residual` an MLP beside it, weighed by a softmax.
HfMoe deepspeedMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

/// Whether the scenario's experts are that layer.
bool usesDeepSpeedMoe(const Scenario& scenario);
/// Whether DeepSpeed marks the experts' weights: optimizer groups of their own, over the ranks that
/// have the same experts. So do deepspeed.moe's layer and AutoEP's, on one rank too.
bool marksExperts(const Scenario& scenario);
/// That layer, and PR-MoE's residual experts, in other model code than it runs in.
Result<void> checkDeepSpeedMoeCode(const Scenario& scenario);
/// What of it is not modelled, by name.
Result<void> checkDeepSpeedMoe(const Scenario& scenario);
/// That a micro-batch has the tokens that each expert has to have room for.
Result<void> checkLeastCapacity(const Scenario& scenario);

}  // namespace fabricast
