#pragma once
#include "planner/ops/dense_attention.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Attention written out (attn_implementation="eager" of transformers): keys and values repeated
/// for every query head, and scores of the whole sequence by itself, whatever the layer's window,
/// under a mask that all layers of a kind share.
struct UnfusedAttention {
    TensorId out = kNoTensor;
    TensorId weights = kNoTensor;  ///< the layer's variable holds them until its MLP is done
};
/// `sinks`: the weight with a score per head that stands beside those of the keys, if there is one.
UnfusedAttention unfusedAttention(
    OpBuilder& g, const Scenario& scenario, const Projected& projections, TensorId mask, int sinks);

/// repeat_kv: a copy for every query head; backward adds the copies' gradients up.
TensorId repeatForQueries(OpBuilder& g, const RankShape& shape, TensorId x);

/// A product of activations, head by head, whose factors backward needs.
TensorId multiplyInHeads(OpBuilder& g, TensorId left, TensorId right, std::int64_t elements);

/// True where layer `layer` attends to a window.
bool hasWindow(const ModelSpec& model, std::int64_t layer);
/// True where the scenario's attention is this one.
bool writesAttention(const Scenario& scenario);
/// Bytes of the masks that a pass makes: of full attention, and of the layers with a window.
std::vector<std::int64_t> attentionMaskBytes(const Scenario& scenario);
/// Declares the masks in that order; returns the one of layer `layer`.
TensorId attentionMask(OpBuilder& g, const Scenario& scenario, std::int64_t layer);

}  // namespace fabricast
