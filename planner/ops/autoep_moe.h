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

}  // namespace fabricast
