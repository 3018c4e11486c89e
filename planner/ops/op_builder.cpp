#include "planner/ops/op_builder.h"

#include "planner/base/integers.h"
#include "planner/ops/row_sums.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricast {

namespace {

/// Flash attention's backward works on sequences rounded up to this many rows.
constexpr std::int64_t kFlashRows = 128;
constexpr std::int64_t kFlashRng = 24;  ///< seed, offset and their tensor
/// fp32, and values narrower than keys, run the memory-efficient kernel, which pads its log-sum-exp
/// rows.
constexpr std::int64_t kEfficientWidth = 4;
constexpr std::int64_t kEfficientRows = 32;
constexpr std::int64_t kEfficientRng = 16;

/// Lists, for every op, the storages that no later op reads.
std::vector<TensorIds> lastReaders(const OpList& list) {
    std::vector<int> last(list.tensors.size(), -1);
    for (std::size_t op = 0; op < list.ops.size(); ++op) {
        for (const auto* ids : {&list.ops[op].inputs, &list.ops[op].outputs, &list.ops[op].saved}) {
            for (const TensorId id : *ids) {
                last[static_cast<std::size_t>(list.tensor(id).base)] = static_cast<int>(op);
            }
        }
    }
    std::vector<TensorIds> drop(list.ops.size());
    const TensorId kept = list.tensor(list.output).base;
    for (std::size_t base = 0; base < last.size(); ++base) {
        const bool mine = !list.tensors[base].external && static_cast<TensorId>(base) != kept;
        if (last[base] >= 0 && mine) {
            drop[static_cast<std::size_t>(last[base])].push_back(static_cast<TensorId>(base));
        }
    }
    return drop;
}

}  // namespace

bool OpBuilder::anyGrad(const TensorIds& ids) const {
    return std::any_of(
        ids.begin(), ids.end(), [this](TensorId id) { return info(id).requiresGrad; });
}

bool OpBuilder::anyTrained(const WeightIds& weights) const {
    return std::any_of(weights.begin(), weights.end(), [this](int weight) {
        return list_.weights[static_cast<std::size_t>(weight)].trained;
    });
}

TensorId OpBuilder::fresh(std::int64_t elements, std::int64_t width, bool requiresGrad) {
    const auto id = static_cast<TensorId>(list_.tensors.size());
    list_.tensors.push_back({.bytes = elements * width,
                             .elements = elements,
                             .width = width,
                             .requiresGrad = requiresGrad,
                             .base = id,
                             .block = block_});
    return id;
}

TensorId OpBuilder::viewOf(TensorId x, std::int64_t elements) {
    const TensorInfo source = info(x);
    const TensorId id = fresh(elements, source.width, source.requiresGrad);
    list_.tensors.back().base = source.base;
    list_.tensors.back().external = source.external;
    return id;
}

TensorId OpBuilder::input(std::int64_t elements, std::int64_t width) {
    list_.input = fresh(elements, width, !options_.frozenInput);
    list_.tensors.back().external = true;
    return list_.input;
}

TensorId OpBuilder::external(std::int64_t elements, std::int64_t width) {
    const TensorId id = fresh(elements, width, false);
    list_.tensors.back().external = true;
    list_.tensors.back().block = -1;
    list_.externals.push_back(id);
    return id;
}

int OpBuilder::weight(std::string_view name, std::int64_t elements, bool isMatrix) {
    list_.weights.push_back({.name = name,
                             .elements = elements,
                             .trained = !options_.frozen,
                             .cast = isMatrix && castsWeights() && !options_.frozen,
                             .isMatrix = isMatrix,
                             .width = options_.frozen ? options_.storedWidth : 0});
    const int index = static_cast<int>(list_.weights.size()) - 1;
    if (!open_.empty()) {
        list_.modules[open_.back()].weights.push_back(index);
    }
    return index;
}

void OpBuilder::enterLeafModule() {
    enterModule();
    leaf_ = true;
}

void OpBuilder::enterModule() {
    if (leaf_) {
        ++insideLeaf_;
        return;
    }
    open_.push_back(list_.modules.size());
    list_.modules.push_back({.begin = list_.ops.size()});
}

void OpBuilder::leaveModule() {
    if (insideLeaf_ > 0) {
        --insideLeaf_;
        return;
    }
    leaf_ = false;
    list_.modules[open_.back()].end = list_.ops.size();
    open_.pop_back();
}

void OpBuilder::claimWeight(int index) {
    if (leaf_) {
        return;
    }
    for (const std::size_t module : open_) {
        WeightIds& weights = list_.modules[module].weights;
        WeightIds others;
        std::copy_if(weights.begin(), weights.end(), std::back_inserter(others), [&](int weight) {
            return weight != index;
        });
        weights = others;
    }
    list_.modules[open_.back()].weights.push_back(index);
}

int OpBuilder::matrix(std::string_view name, std::int64_t rows, std::int64_t columns) {
    const int index = weight(name, rows * columns);
    weightAt(index).columns = columns;
    return index;
}

Op& OpBuilder::push(Op op) {
    Op& pushed = list_.ops.emplace_back(std::move(op));
    pushed.module = module_;
    pushed.block = block_;
    return pushed;
}

TensorId OpBuilder::pointwise(std::string_view name,
                              const TensorIds& inputs,
                              std::int64_t elements,
                              std::int64_t width,
                              const TensorIds& saved) {
    const TensorId out = fresh(elements, width, anyGrad(inputs));
    push({.name = name,
          .inputs = inputs,
          .outputs = {out},
          .saved = info(out).requiresGrad ? saved : TensorIds{}});
    return out;
}

TensorId OpBuilder::cast(TensorId x, std::int64_t width) {
    if (info(x).width == width) {
        return x;
    }
    return pointwise("cast", {x}, info(x).elements, width, {});
}

/// Autocast keeps a copy only of weights that are trained; each use of another makes its own.
TensorId OpBuilder::castFrozen(const WeightUse& use) {
    const std::int64_t width = use.widthOr(options_.storedWidth);
    if (!options_.autocast || use.trained || width == options_.computeWidth) {
        return kNoTensor;
    }
    const TensorId copy = fresh(use.elements, options_.computeWidth, false);
    push({.kind = OpKind::Copy, .name = "cast_weight", .outputs = {copy}});
    return copy;
}

TensorId OpBuilder::linear(TensorId x, int weight, std::int64_t outElements, int bias) {
    const TensorId copy = castFrozen(weightAt(weight));
    const TensorId read = options_.autocast ? cast(x, options_.computeWidth) : x;
    const WeightUse& use = weightAt(weight);
    const TensorId out =
        fresh(outElements, info(read).width, info(read).requiresGrad || use.trained);
    Op op{.kind = OpKind::Gemm, .name = use.name, .inputs = {read}, .outputs = {out}};
    // DeepSpeed's function saves its input whether or not its weight is trained.
    if (use.trained || (options_.linearInPython && info(out).requiresGrad)) {
        op.saved = {options_.linearInPython ? x : read};
    }
    if (options_.linearInPython) {  // its casts are not kept: backward casts again
        op.inPython = true;
        op.castsBeforeInput = use.cast ? use.elements * options_.computeWidth : 0;
        op.castsBeforeWeight = read == x ? 0 : info(read).bytes;
        op.forwardTemps = {op.castsBeforeInput};
    }
    if (copy != kNoTensor) {
        op.inputs.push_back(copy);
        if (info(read).requiresGrad) {
            op.saved.push_back(copy);
        }
    }
    op.weights.push_back(weight);
    if (bias >= 0) {
        WeightUse& added = weightAt(bias);
        added.cast = castsWeights() && added.trained;
        op.weights.push_back(bias);
        op.sumBytes = added.trained ? sumOver(outElements / added.elements, added.elements) : 0;
    }
    push(std::move(op));
    return out;
}

std::int64_t OpBuilder::sumOver(std::int64_t rows, std::int64_t columns) const {
    return rowSumBytes(rows, columns, options_.threads);
}

TensorId OpBuilder::join(const TensorIds& parts) {
    std::int64_t elements = 0;
    std::int64_t width = 0;
    for (const TensorId part : parts) {
        elements += info(part).elements;
        width = std::max(width, info(part).width);
    }
    const TensorId out = pointwise("cat", parts, elements, width, {});
    last().passesGradient = true;
    last().viewsGradient = true;
    return out;
}

TensorIds OpBuilder::split(TensorId x, const std::vector<std::int64_t>& elements) {
    TensorIds parts;
    for (const std::int64_t count : elements) {
        parts.push_back(viewOf(x, count));
    }
    push({.kind = OpKind::Copy, .name = "split", .inputs = {x}, .outputs = parts});
    return parts;
}

TensorId OpBuilder::flashAttention(TensorId q,
                                   TensorId k,
                                   TensorId v,
                                   const AttentionShape& shape) {
    if (options_.autocast) {
        v = cast(v, options_.computeWidth);
        k = cast(k, options_.computeWidth);
        q = cast(q, options_.computeWidth);
    }
    const std::int64_t width = info(q).width;
    const bool graph = anyGrad({q, k, v});
    const TensorId out = fresh(shape.tokens * shape.heads * shape.valueDim, width, graph);
    const bool efficient = width == kEfficientWidth || shape.headDim != shape.valueDim;
    const std::int64_t lseRows =
        efficient ? shape.batch * roundUp(shape.sequence, kEfficientRows) : shape.tokens;
    const TensorId logSumExp = fresh(lseRows * shape.heads, 4, false);
    const TensorId rng = fresh(efficient ? kEfficientRng : kFlashRng, 1, false);
    const std::int64_t rows = shape.batch * roundUp(shape.sequence, kFlashRows);
    Op op{.kind = OpKind::Attention,
          .name = "attention",
          .inputs = {q, k, v},
          .outputs = {out, logSumExp, rng},
          .backwardTemps = {4 * rows * shape.heads, 4 * rows * shape.heads * shape.headDim}};
    if (graph) {
        op.saved = {q, k, v, out, logSumExp, rng};
    }
    for (const TensorId id : {q, k, v}) {  // all three gradients are made
        op.backwardTemps.push_back(info(id).requiresGrad ? 0 : info(id).bytes);
    }
    if (shape.kvHeads != shape.heads) {  // dK and dV per query head, summed over the group after
        op.backwardTemps.push_back(width * shape.tokens * shape.heads *
                                   (shape.headDim + shape.valueDim));
    }
    push(std::move(op));
    return out;
}

TensorIds OpBuilder::savedSoFar() const {
    TensorIds bases;
    for (const Op& op : list_.ops) {
        for (const TensorId id : op.saved) {
            const TensorId base = info(id).base;
            if (!info(base).external &&
                std::find(bases.begin(), bases.end(), base) == bases.end()) {
                bases.push_back(base);
            }
        }
    }
    return bases;
}

OpList OpBuilder::finish(TensorId output) {
    list_.output = output;
    findBlockOutputs();
    list_.dropAfter = lastReaders(list_);
    return std::move(list_);
}

}  // namespace fabricast
