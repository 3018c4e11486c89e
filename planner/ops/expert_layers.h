#pragma once
#include "planner/ops/hf_moe.h"
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// Sizes of AutoEP's layer on one rank.
struct AutoEpRows {
    std::int64_t tokens = 0;    ///< that this rank routes
    std::int64_t sent = 0;      ///< tokens times routes
    std::int64_t received = 0;  ///< by this rank's experts
    std::int64_t padded = 0;    ///< the same with what fills each expert's up to a multiple of 8
    std::int64_t experts = 0;   ///< of this rank
};
AutoEpRows autoEpRows(const Scenario& scenario);

/// What TokenChoiceTopKRouter returns.
struct AutoEpRouting {
    TensorId scores = kNoTensor;   ///< fp32
    TensorId indices = kNoTensor;  ///< int64
};
/// deepspeed.moe.ep_router of 0.19.8: a product in the model's type, then fp32.
AutoEpRouting autoEpRoute(
    OpBuilder& g, const Scenario& scenario, const HfRouter& code, int weight, TensorId tokens);

/// AutoEPMoELayer of DeepSpeed 0.19.8, with its defaults: rows sorted by expert and sent to the
/// experts' ranks, put in the order of the local experts by gathers, three grouped products around
/// a fused SwiGLU, and back; weighed in fp32 and summed. Shared experts stay the model's own.
HfMoe autoEpMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

/// Whether the scenario's experts are that layer.
bool usesAutoEp(const Scenario& scenario);
/// That layer in other model code than it runs in.
Result<void> checkAutoEpCode(const Scenario& scenario);
/// What of it is refused by DeepSpeed or not modelled, by name.
Result<void> checkAutoEp(const Scenario& scenario);

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
