#include "planner/estimate/fused_groups.h"

#include <algorithm>

namespace fabricast {

namespace {

/// A compiler joins these with their neighbours.
bool isFusible(const Op& op) {
    return op.kind == OpKind::Pointwise || op.kind == OpKind::Norm || op.kind == OpKind::Copy ||
           op.kind == OpKind::Loss;
}

bool contains(const TensorIds& ids, TensorId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Megatron's own kernel scales, masks and normalises scores in one pass over them.
bool inScoreKernel(const Op& op) {
    return op.name == "scale" || op.name == "masked_fill" || op.name == "softmax";
}

/// Whether a later op reads the tensor, or backward does, or it leaves the list.
bool isReadOutside(const OpList& list, const FusedGroup& group, TensorId id) {
    if (id == list.output) {
        return true;
    }
    for (std::size_t i = 0; i < list.ops.size(); ++i) {
        const bool inside = i >= group.begin && i < group.end;
        if (contains(list.ops[i].saved, id) || (!inside && contains(list.ops[i].inputs, id))) {
            return true;
        }
    }
    return false;
}

/// A view that no kernel makes.
bool isView(const OpList& list, const Op& op) {
    return op.kind == OpKind::Copy &&
           std::all_of(op.outputs.begin(), op.outputs.end(), [&list](TensorId id) {
               return list.tensor(id).base != id;
           });
}

/// Each tensor once.
using TensorSet = TensorIds;

void insert(TensorSet& set, TensorId id) {
    if (!contains(set, id)) {
        set.push_back(id);
    }
}

void insert(TensorSet& set, const TensorIds& ids) {
    for (const TensorId id : ids) {
        insert(set, id);
    }
}

struct Sets {
    TensorSet read;
    TensorSet written;
    TensorSet saved;
};

Sets setsOf(const OpList& list, const FusedGroup& group) {
    Sets sets;
    TensorSet made;
    for (std::size_t i = group.begin; i < group.end; ++i) {
        const Op& op = list.ops[i];
        if (isView(list, op)) {
            continue;
        }
        for (const TensorId id : op.inputs) {
            if (!contains(made, id)) {
                insert(sets.read, id);
            }
        }
        insert(made, op.outputs);
        insert(sets.saved, op.saved);
    }
    const bool alone = group.end - group.begin == 1;
    for (const TensorId id : made) {
        if (alone || isReadOutside(list, group, id)) {
            sets.written.push_back(id);
        }
    }
    return sets;
}

std::int64_t sum(const OpList& list, const TensorSet& ids, bool gradients) {
    std::int64_t bytes = 0;
    for (const TensorId id : ids) {
        if (!gradients || list.tensor(id).requiresGrad) {
            bytes += list.tensor(id).bytes;
        }
    }
    return bytes;
}

/// PyTorch's, which keeps its result.
bool isSoftmax(const Op& op) {
    return (op.name == "softmax" || op.name == "safe_softmax") && !op.backwardTemps.empty();
}

/// What backward moves to make one gradient of a tensor's parts: torch.cat reads and writes it, and
/// where the parts lay across heads it is copied once more. Of slices each has zeros of the whole,
/// into which it is copied, and these are added.
std::int64_t joinedGradient(const OpList& list, const Op& op) {
    const bool isJoined = !op.inputs.empty() && list.tensor(op.inputs.front()).requiresGrad;
    const std::int64_t whole = isJoined ? list.tensor(op.inputs.front()).bytes : 0;
    const auto parts = static_cast<std::int64_t>(op.outputs.size());
    return op.name == "split_rows"     ? 2 * whole
           : op.name == "split_heads"  ? 4 * whole
           : op.name == "split_slices" ? (parts + 2 + 3 * (parts - 1)) * whole
                                       : 0;
}

/// A sum of two types hands its narrower input a gradient that is cast to its type.
std::int64_t narrowedGradient(const OpList& list, const Op& op) {
    if (op.name != "add") {
        return 0;
    }
    const TensorInfo& out = list.tensor(op.outputs.front());
    std::int64_t bytes = 0;
    for (const TensorId id : op.inputs) {
        const TensorInfo& in = list.tensor(id);
        bytes += in.requiresGrad && in.width < out.width ? in.bytes + out.bytes : 0;
    }
    return bytes;
}

}  // namespace

std::vector<FusedGroup> fusedGroups(const OpList& list, bool compiled) {
    std::vector<FusedGroup> groups;
    for (std::size_t i = 0; i < list.ops.size(); ++i) {
        const bool first = groups.empty();
        const bool scores =
            !first && inScoreKernel(list.ops[i]) && list.ops[groups.back().begin].name == "scale";
        const bool joins = scores || (compiled && !first && isFusible(list.ops[i]) &&
                                      isFusible(list.ops[groups.back().begin]));
        if (joins) {
            groups.back().end = i + 1;
        } else {
            groups.push_back({i, i + 1});
        }
    }
    return groups;
}

Traffic trafficOf(const OpList& list, const FusedGroup& group) {
    const Sets sets = setsOf(list, group);
    Traffic traffic{.forward = sum(list, sets.read, false) + sum(list, sets.written, false)};
    const bool alone = group.end - group.begin == 1;
    const Op& first = list.ops[group.begin];
    if (!alone || !first.passesGradient) {
        traffic.backward = sum(list, sets.saved, false) + sum(list, sets.written, true) +
                           sum(list, sets.read, true);
    }
    if (alone && first.passesGradient) {
        traffic.backward = narrowedGradient(list, first);
    }
    if (alone) {
        traffic.backward += joinedGradient(list, first);
    }
    if (alone && isSoftmax(first)) {  // its product with the gradient is formed first
        traffic.backward += sum(list, sets.saved, false);
    }
    if (alone) {  // a buffer is written and read once
        for (const std::int64_t bytes : first.forwardTemps) {
            traffic.forward += 2 * bytes;
        }
        for (const std::int64_t bytes : first.backwardTemps) {
            traffic.backward += 2 * bytes;
        }
    }
    return traffic;
}

}  // namespace fabricast
