#include "planner/ops/packed_saves.h"

#include <algorithm>

namespace fabricast {

namespace {

/// PyTorch's linear saves its weight transposed.
void addWeights(const OpList& list, const Op& op, std::int64_t weightWidth, PackedTensors& packed) {
    const bool product = op.kind == OpKind::Gemm;
    if (op.kind == OpKind::Lookup || op.inputs.empty() ||
        !list.tensor(op.inputs.front()).requiresGrad) {
        return;
    }
    for (const int weight : op.weights) {
        const WeightUse& use = list.weights[static_cast<std::size_t>(weight)];
        if (product && !use.isMatrix) {
            continue;  // a bias is added, not multiplied
        }
        const std::int64_t width = use.cast ? kCastWidth : weightWidth;
        if (width == 0) {
            continue;
        }
        packed.push_back({.bytes = use.elements * width, .ordered = !product});
    }
}

}  // namespace

PackedTensors packedBy(const OpList& list, const Op& op, std::int64_t weightWidth) {
    PackedTensors packed;
    const bool attention = op.kind == OpKind::Attention;
    for (const TensorId id : op.saved) {
        const bool output = std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end();
        const bool result = output && id == op.outputs.front();
        packed.push_back({.bytes = list.tensor(id).bytes,
                          .id = id,
                          .ordered = !attention || (output && !result),
                          .reordered = attention && result});
    }
    addWeights(list, op, weightWidth, packed);
    if (op.idBytes > 0) {
        packed.push_back({.bytes = op.idBytes});
    }
    return packed;
}

std::int64_t packedBytes(const OpList& list, std::int64_t weightWidth) {
    std::int64_t sum = 0;
    for (const Op& op : list.ops) {
        for (const PackedTensor& tensor : packedBy(list, op, weightWidth)) {
            sum += tensor.bytes;
        }
    }
    return sum;
}

std::int64_t markedBytes(const OpList& list) {
    std::int64_t sum = 0;
    for (const Op& op : list.ops) {
        for (const TensorId id : op.toHost) {
            sum += list.tensor(id).bytes;
        }
    }
    return sum;
}

}  // namespace fabricast
