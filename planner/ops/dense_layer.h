#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/op_list.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// This is one transformer layer as PyTorch code writes it (a plain model, Hugging Face,
/// torchtitan): attention and MLP with their norms, each op keeping what autograd keeps.
OpList eagerLayer(const Scenario& scenario, std::int64_t layer);

/// The residual half-layers, for layers that replace one of them (experts, latent attention).
TensorId eagerNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name);
struct LayerAttention {
    TensorId out = kNoTensor;
    TensorId weights = kNoTensor;  ///< where code keeps those: alive until the MLP is done
};
LayerAttention eagerAttention(OpBuilder& g,
                              const Scenario& scenario,
                              TensorId x,
                              std::int64_t layer);

/// Under sequence parallelism: the whole sequence before column-split GEMMs, and the sums of
/// row-split ones scattered over it (all-reduced without it).
TensorId gatherSequence(OpBuilder& g, const RankShape& shape, TensorId x);
TensorId reducePartial(OpBuilder& g, const RankShape& shape, TensorId x);
/// Under context parallelism: what the ranks of the ring computed of the attention, as one tensor.
TensorId mergeContext(OpBuilder& g, const Scenario& scenario, TensorId parts);

/// GPT-2 calls dropout modules behind its tables and blocks, which at probability zero do nothing.
TensorId callDropout(OpBuilder& g, const Scenario& scenario, TensorId x);

/// Bytes of one element in the residual stream: fp32 under autocast, else the compute type.
std::int64_t residualWidth(const Settings& settings);
/// The same where layer `layer` begins (the final norm begins after the last one).
std::int64_t residualWidth(const Settings& settings, std::int64_t layer);
OpBuilder::Options builderOptions(const Scenario& scenario);

/// Tables shared by all layers of one pass (rotary cos and sin, attention masks), in the order of
/// `externals`.
std::vector<std::int64_t> sharedTableBytes(const Scenario& scenario);

/// torchtitan's MoE module, from the norm's output to the sum of routed and shared experts: an fp32
/// router, tokens sorted and exchanged, grouped GEMMs, scores applied to the experts' fp32 outputs.
TensorId torchtitanMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

}  // namespace fabricast
