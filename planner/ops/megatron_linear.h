#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <string_view>
#include <vector>

namespace fabricast {

/// What Megatron's layer code has at hand while it writes operations.
struct MegatronCode {
    OpBuilder& g;
    const Scenario& scenario;
    RankShape shape;
    TensorId angles = kNoTensor;  ///< latent attention's own table, once it is read
    /// Transformer Engine's layers return the rows that they gathered, and of what.
    TensorId gatheredFrom = kNoTensor;
    TensorId gathered = kNoTensor;

    /// Transformer Engine's modules, or the ones written in PyTorch (`--transformer-impl local`).
    [[nodiscard]] bool fusedModules() const {
        return scenario.settings.kernels.code == ModelCode::TransformerEngine;
    }
    /// Rotary embedding is one of them (apply_rope_fusion).
    [[nodiscard]] bool fusesRope() const {
        return fusedModules() && scenario.settings.megatron.ropeFusion;
    }
    [[nodiscard]] bool recomputes(std::string_view module) const;
};

MegatronCode megatronCode(OpBuilder& g, const Scenario& scenario);

/// One matrix of tensor parallelism, as this rank holds it.
struct LocalMatrix {
    std::string_view name;
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    bool bias = false;
    bool expert = false;
};
int megatronWeight(MegatronCode& m, const LocalMatrix& matrix);

/// Transformer Engine's offload moves what the last op saves; of modules written in PyTorch,
/// nothing.
void markSaved(MegatronCode& m);

/// What the product of a trained weight keeps of its input for backward: the input itself, or
/// where Transformer Engine forms the product in fewer than 16 bits the copy in these, by columns.
/// The product makes that copy, and counts it among its outputs.
TensorId keptInput(MegatronCode& m, TensorId x, const WeightUse& use);

/// Under sequence parallelism the rows of all ranks, in a tensor of their own.
TensorId gatherRows(MegatronCode& m, TensorId x);
/// y = x · Wᵀ (+ b), split by columns. Under sequence parallelism x is gathered into the scratch
/// buffer, forward and backward, and only the rank's own slice is saved; for a frozen weight it is
/// gathered once, into a tensor of its own.
TensorId columnParallel(MegatronCode& m, TensorId x, const LocalMatrix& matrix);
/// The same product with an already declared weight.
TensorId columnParallel(MegatronCode& m, TensorId x, int weight, std::int64_t outputs);
/// Split by rows: partial sums are reduced over tp, scattered over the sequence where that is
/// split.
TensorId rowParallel(MegatronCode& m, TensorId x, int weight, std::int64_t outputs);

/// residual + dropout(x + bias); `bias` < 0: none.
TensorId biasDropoutAdd(MegatronCode& m, TensorId x, TensorId residual, int bias);
TensorId dropout(MegatronCode& m, TensorId x);
TensorId megatronNorm(MegatronCode& m, TensorId x, std::string_view name);
TensorId megatronNorm(MegatronCode& m, TensorId x, std::string_view name, std::int64_t columns);
/// The last op's kernel takes no strided view: it reads a copy of x, forward and backward, that is
/// not kept.
void readThroughCopy(MegatronCode& m, TensorId x);
/// Every rank's columns side by side: gathered, then put in order.
TensorId gatherColumns(MegatronCode& m, TensorId x);
/// This rank's rows of a whole tensor: a view of it.
TensorId scatterRows(MegatronCode& m, TensorId x);
/// Put together in a new tensor; backward hands out views of its gradient.
TensorId joined(MegatronCode& m, const TensorIds& parts);

/// What Megatron-Bridge's LoRA adds to one parallel linear layer: x through two thin matrices,
/// scaled, on top of the frozen product. `inputs` and `outputs` are the rank's own.
struct AdapterSite {
    std::string_view target;  ///< "qkv", "o", "gate" (the fused first matrix), "down"
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    bool row = false;  ///< the layer is cut along its inputs
};
TensorId withAdapter(MegatronCode& m, TensorId x, TensorId product, const AdapterSite& site);

}  // namespace fabricast
