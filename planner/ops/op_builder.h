#pragma once
#include "planner/ops/op_list.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// Writes an OpList the way model code is written: one call per framework operation.
///     OpBuilder g({.computeWidth = 2});
///     const TensorId x = g.input(tokens * hidden, 2);
///     const TensorId q = g.linear(g.rmsNorm(x, tokens, norm), wq, tokens * heads * dim);
///     return g.finish(g.add(x, …));
class OpBuilder {
public:
    struct Options {
        std::int64_t computeWidth = 2;   ///< bytes of the type GEMMs run in
        std::int64_t storedWidth = 4;    ///< bytes of a weight's element where it is stored
        bool autocast = false;           ///< every GEMM casts its inputs and weights itself
        bool linearInPython = false;     ///< GEMMs are DeepSpeed's function for ZeRO-3
        bool frozenInput = false;        ///< nothing before this segment is trained
        bool frozen = false;             ///< weights are not trained by default
        bool trainsNorms = false;        ///< of a frozen segment the norms are
        std::int64_t gatheredWidth = 0;  ///< bytes of an element as ops read it; 0: as it is stored
        std::int64_t threads = 0;        ///< that the GPU holds at once; 0: not known
    };
    explicit OpBuilder(Options options) : options_(options) {
        constexpr std::size_t kUsual = 64;  // of a layer: an operation is large, and costly to move
        list_.ops.reserve(kUsual);
        list_.tensors.reserve(2 * kUsual);
        list_.weights.reserve(kUsual / 2);
    }

    TensorId input(std::int64_t elements, std::int64_t width);
    TensorId external(std::int64_t elements, std::int64_t width);  ///< a table shared by all layers
    /// A shared table that this layer is not given.
    void skipExternal() { list_.externals.push_back(kNoTensor); }
    /// That table is the layer's own: it counts as saved where something keeps it.
    void ownBuffer(TensorId id) {
        list_.tensors[static_cast<std::size_t>(id)].use = TensorUse::Buffer;
    }
    int weight(std::string_view name, std::int64_t elements, bool isMatrix = true);
    int matrix(std::string_view name, std::int64_t rows, std::int64_t columns);
    /// Changes what the next weights are: trained or frozen.
    WeightUse& weightAt(int index) { return list_.weights[static_cast<std::size_t>(index)]; }
    /// Ops added from here on belong to this recompute module.
    void module(std::string_view name) { module_ = name; }

    /// What comes until `leaveModule` is inside a call of one of the model's modules.
    void enterModule();
    /// The same; who watches modules sees none inside of it, and its weights are all its own.
    void enterLeafModule();
    void leaveModule();
    /// Weight `index`, declared in a module around this one for the order of registration, is this
    /// one's.
    void claimWeight(int index);
    /// The module at work reads a weight that stays another's.
    void borrowWeight(int index) { list_.modules[open_.back()].weights.push_back(index); }
    [[nodiscard]] int lastWeight() const { return static_cast<int>(list_.weights.size()) - 1; }

    TensorId linear(TensorId x, int weight, std::int64_t outElements, int bias = -1);
    /// A norm's weights: of a frozen segment they may be trained.
    void trainNorm(const WeightIds& weights);
    TensorId rmsNorm(TensorId x, std::int64_t rows, int weight);  ///< one fused kernel
    /// Written out in fp32; `scalesWide`: its weight is multiplied by before the cast, not after.
    /// How RMSNorm that is written out multiplies by its weight: in the type of what comes in, in
    /// fp32, or by one and the weight, both in fp32.
    enum class NormScale { OwnType, Wide, OneAndWide };
    TensorId rmsNormFp32(TensorId x,
                         std::int64_t rows,
                         int weight,
                         NormScale scale = NormScale::OwnType);
    TensorId layerNorm(TensorId x, std::int64_t rows, const WeightIds& weights);
    TensorId cast(TensorId x, std::int64_t width);
    TensorId add(TensorId a, TensorId b);
    TensorId multiply(TensorId a, TensorId b);
    TensorId power(TensorId x);
    TensorId silu(TensorId x);
    TensorId gelu(TensorId x);
    TensorId relu(TensorId x);
    TensorId swiglu(TensorId gateAndUp);  ///< one fused kernel
    TensorId dropout(TensorId x);
    TensorId capped(TensorId x);  ///< c tanh(x / c)
    TensorId ropeComplex(TensorId x, TensorId table);
    TensorId ropeCosSin(TensorId x, TensorId cosine, TensorId sine);
    TensorId join(const TensorIds& parts);  ///< whose gradients are views of the whole's
    TensorIds split(TensorId x, const std::vector<std::int64_t>& elements);
    struct AttentionShape {
        std::int64_t tokens = 0, heads = 0, kvHeads = 0, headDim = 0, valueDim = 0;
        std::int64_t batch = 1, sequence = 0;
    };
    TensorId flashAttention(TensorId q, TensorId k, TensorId v, const AttentionShape& shape);

    /// A pointwise op that reads `inputs`, makes one tensor and keeps `saved`.
    TensorId pointwise(std::string_view name,
                       const TensorIds& inputs,
                       std::int64_t elements,
                       std::int64_t width,
                       const TensorIds& saved);
    TensorId fresh(std::int64_t elements, std::int64_t width, bool requiresGrad = true);
    /// A second name for part or all of `x`; its gradient is its own.
    TensorId viewOf(TensorId x, std::int64_t elements);
    /// Code keeps a variable for these until here: their storages live at least that long.
    void holdUntilHere(const TensorIds& ids);
    /// The ops between are checkpointed by themselves, and run again before the ops that follow
    /// them are done with their backward. `on` false: they are not; -1 means that block.
    int openBlock(bool on);
    void closeBlock(int block);
    /// Also, the block's outputs are freed here and made again before backward passes here.
    void discardOutputs(int block);
    /// An op uses this much of the framework's scratch buffer, which only ever grows.
    void useScratch(std::int64_t bytes);
    Op& push(Op op);
    Op& last() { return list_.ops.back(); }
    /// What the ops up to here save for backward, each storage once.
    [[nodiscard]] TensorIds savedSoFar() const;
    [[nodiscard]] const TensorInfo& info(TensorId id) const { return list_.tensor(id); }
    [[nodiscard]] const Options& options() const { return options_; }
    /// Bytes of a weight's element as ops read it, before autocast.
    [[nodiscard]] std::int64_t readWidth(std::int64_t stored) const {
        return options_.gatheredWidth > 0 ? options_.gatheredWidth : stored;
    }
    OpList finish(TensorId output);

private:
    void findBlockOutputs();
    [[nodiscard]] std::int64_t sumOver(std::int64_t rows, std::int64_t columns) const;
    [[nodiscard]] bool anyGrad(const TensorIds& ids) const;
    [[nodiscard]] bool anyTrained(const WeightIds& weights) const;
    TensorId castFrozen(const WeightUse& use);
    [[nodiscard]] bool castsWeights() const {
        return options_.autocast && readWidth(options_.storedWidth) != options_.computeWidth;
    }

    Options options_;
    std::string_view module_;
    int block_ = -1;
    std::vector<std::size_t> open_;  ///< modules entered and not left
    int insideLeaf_ = 0;             ///< how many of them are open, unseen
    bool leaf_ = false;
    OpList list_;
};

}  // namespace fabricast
