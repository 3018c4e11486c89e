#include "planner/memory/walk/segment_walk.h"

namespace fabricast {

Keep keepFor(Checkpointing kind) {
    switch (kind) {
        case Checkpointing::Full:
        case Checkpointing::Block:
            return Keep::Nothing;
        case Checkpointing::Selective:
            return Keep::Selected;
        case Checkpointing::None:
        case Checkpointing::Modules:
            break;
    }
    return Keep::Everything;
}

Storage CastCache::copyOf(std::pair<int, int> key, std::int64_t bytes) {
    const auto found = copies_.find(key);
    if (found != copies_.end()) {
        return found->second;
    }
    const Storage made = device_.take(bytes, MemoryKind::Activations);
    copies_.emplace(key, made);
    return made;
}

void CastCache::clear() {
    for (const auto& [key, storage] : copies_) {
        device_.release(storage);
    }
    copies_.clear();
}

Frame SegmentWalk::begin(const SegmentPlace& place, const std::vector<Storage>& given) const {
    const OpList& ops = *place.ops;
    Frame frame;
    frame.storage.assign(ops.tensors.size(), kNoStorage);
    frame.casts.assign(ops.weights.size(), kNoStorage);
    frame.done.assign(ops.ops.size(), false);
    frame.held.resize(ops.blocks.size());
    std::size_t next = 0;
    if (ops.input != kNoTensor) {
        frame.storage[index(ops.input)] = given[next];
    }
    ++next;
    for (const TensorId id : ops.externals) {
        const Storage table = given[next++];
        if (id != kNoTensor) {
            frame.storage[index(id)] = table;
        }
    }
    return frame;
}

/// Autocast's copies of the op's weights; and in a checkpoint's second forward what the op saves of
/// trained weights themselves, which is no longer the parameter.
void SegmentWalk::keepWeights(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    const bool saves = keep == Keep::Everything && !now.saved.empty() && !frame.onHost;
    for (const int weight : now.weights) {
        const WeightUse& use = list.weights[index(weight)];
        if (use.cast && casts_ != nullptr && !now.inPython) {
            const Storage copy =
                casts_->copyOf({place.identity, weight}, kCastWidth * use.elements);
            // A GEMM keeps its weight for the gradient of its input.
            if (saves && use.isMatrix && list.tensor(now.inputs.front()).requiresGrad) {
                device_.retain(copy);
                frame.casts[index(weight)] = copy;
            }
        } else if (saves && frame.recomputed && use.trained) {
            const Storage alias = engine_.weightStorage(place.unit, place.firstWeight + weight);
            if (alias != kNoStorage) {
                device_.retain(alias);
                frame.casts[index(weight)] = alias;
            }
        }
    }
}

void SegmentWalk::makeOutputs(const OpList& list, std::size_t op, Frame& frame) {
    const Op& now = list.ops[op];
    for (const TensorId id : now.outputs) {
        const TensorInfo& tensor = list.tensor(id);
        if (tensor.base == id) {
            const MemoryKind kind = now.kind == OpKind::Loss ? MemoryKind::Loss : kind_;
            frame.storage[index(id)] = device_.take(tensor.bytes, kind);
        }
    }
    takeTemps(now);
}

/// What an op's kernels take for as long as it runs.
void SegmentWalk::takeTemps(const Op& op) {
    const bool multiplies = (op.kind == OpKind::Gemm && !op.ownKernel) || op.multipliesInside;
    if (op.forwardTemps.empty()) {
        device_.pass(multiplies ? kGemmWorkspace : 0, MemoryKind::Workspace);
        return;
    }
    Storages temps;
    for (const std::int64_t bytes : op.forwardTemps) {
        temps.push_back(device_.take(bytes, MemoryKind::Workspace));
    }
    if (multiplies) {
        temps.push_back(device_.take(kGemmWorkspace, MemoryKind::Workspace));
    }
    for (const Storage temp : temps) {
        device_.release(temp);
    }
}

void SegmentWalk::dropInputs(const OpList& list, std::size_t op, Frame& frame, Keep keep) {
    for (const TensorId base : list.dropAfter[op]) {
        const Storage storage = frame.storage[index(base)];
        // A block that runs again drops only what it made: its inputs are kept for it.
        const bool mine = keep != Keep::Block || list.tensor(base).block == list.ops[op].block;
        if (mine && storage != kNoStorage) {
            device_.release(storage);
        }
    }
}

void SegmentWalk::runOp(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep) {
    device_.running(place.ops->ops[op].name);
    keepWeights(place, op, frame, keep);
    if (!frame.done[op]) {
        makeOutputs(*place.ops, op, frame);
    }
    keepOutputs(place, op, frame, keep);
    assignAttributes(place, op, frame);
    dropInputs(*place.ops, op, frame, keep);
}

/// Takes the references that stay until the op's backward.
void SegmentWalk::keepOutputs(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    const auto retain = [&](const TensorIds& ids) {
        for (const TensorId id : ids) {
            const TensorId base = list.tensor(id).base;
            if (keep == Keep::Block || !list.tensor(base).discarded) {
                device_.retain(frame.storage[index(base)]);
            }
        }
    };
    if (now.graphDropped) {
        return;
    }
    if (frame.onHost) {
        pack(place, op, frame);
        return;
    }
    if (keep == Keep::Block || (keep == Keep::Everything && now.block < 0)) {
        retain(now.saved);
    } else if (keep == Keep::Everything && op == list.blocks[index(now.block)].begin) {
        retain(list.blocks[index(now.block)].inputs);
    } else if (keep == Keep::Selected && now.keptBySelective) {
        frame.done[op] = true;
        retain(now.outputs);
    }
}

Frame SegmentWalk::runForward(const SegmentPlace& place,
                              const std::vector<Storage>& given,
                              Keep keep) {
    Frame frame = begin(place, given);
    frame.onHost = isByNode(way_) && !passesHost_ && keep == Keep::Everything;
    if (frame.onHost) {
        frame.packed.resize(place.ops->ops.size());
    }
    for (std::size_t op = 0; op < place.ops->ops.size(); ++op) {
        modules_.beforeForward(place, op);
        holdForGraph(place, op, frame, frame.untilFreed);
        runOp(place, op, frame, keep);
        modules_.afterForward(place, op);
    }
    return frame;
}

}  // namespace fabricast
