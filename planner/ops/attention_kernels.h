#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// transformers' GPT-2 multiplies by its weights as they are stored; others call nn.Linear.
bool usesConv1d(const Scenario& scenario);

struct Projected {
    TensorId q, k, v;
};

/// Queries, keys and values of one attention, each query and key normed by head where the model
/// does that.
Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x);

/// Multi-head latent attention as torchtitan writes it: low-rank projections whole on every rank,
/// the up-projections split over tp, keys and values as slices of one up-projection.
TensorId latentAttention(OpBuilder& g, const Scenario& scenario, TensorId x);

/// This is PyTorch's memory-efficient attention (CUTLASS), which runs where flash attention does
/// not: fp32, or values of another width than keys. Its backward takes a workspace that depends on
/// the blocks of the kernel PyTorch picks for the head's width.
struct EfficientShape {
    std::int64_t batch = 1;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t keyDim = 0;
    std::int64_t valueDim = 0;
};
/// Bytes of the backward's workspace.
std::int64_t efficientWorkspace(const EfficientShape& shape, bool twoByteType);

TensorId efficientAttention(
    OpBuilder& g, TensorId q, TensorId k, TensorId v, const EfficientShape& shape);

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
