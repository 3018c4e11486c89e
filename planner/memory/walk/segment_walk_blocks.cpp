#include "planner/memory/walk/gradients_in_flight.h"
#include "planner/memory/walk/segment_walk.h"

namespace fabricast {

/// Runs a block's ops again. Its results, and the gradients that reached them, stay in the
/// variables of the checkpoint function until the block's backward is done.
void SegmentWalk::runBlock(const SegmentPlace& place,
                           int block,
                           Frame& frame,
                           const Gradients& gradients) {
    const OpList& list = *place.ops;
    const RecomputeBlock& mine = list.blocks[index(block)];
    const MemoryKind before = kind_;
    kind_ = MemoryKind::Recomputed;
    for (std::size_t op = mine.begin; op < mine.end; ++op) {
        runOp(place, op, frame, Keep::Block);
    }
    kind_ = before;
    std::vector<Storage>& held = frame.held[index(block)];
    for (const TensorId output : mine.outputs) {
        held.push_back(frame.storage[index(output)]);
        if (list.tensor(output).discarded) {
            fillAgain(list, output, frame);
        }
    }
    for (std::size_t id = 0; id < list.tensors.size(); ++id) {
        const TensorInfo& base = list.tensor(list.tensors[id].base);
        if (base.block == block && gradients.of[id] != kNoStorage) {
            device_.retain(gradients.of[id]);
            held.push_back(gradients.of[id]);
        }
    }
}

/// The storage that was freed in forward is allocated again, and the result is copied into it: the
/// ops that saved it find it there.
void SegmentWalk::fillAgain(const OpList& list, TensorId output, Frame& frame) {
    const Storage filled = device_.take(list.tensor(output).bytes, MemoryKind::Recomputed);
    for (const Op& op : list.ops) {
        for (const TensorId id : op.saved) {
            if (op.block < 0 && list.tensor(id).base == output) {
                device_.retain(filled);
            }
        }
    }
    for (const RecomputeBlock& other : list.blocks) {
        for (const TensorId input : other.inputs) {
            if (input == output) {
                device_.retain(filled);
            }
        }
    }
    device_.release(filled);
    frame.storage[index(output)] = filled;
}

/// `op` begins a block, and its backward is done.
void SegmentWalk::finishBlock(const SegmentPlace& place,
                              std::size_t op,
                              Frame& frame,
                              const Gradients& gradients) {
    const OpList& list = *place.ops;
    const int block = list.ops[op].block;
    if (block < 0 || op != list.blocks[index(block)].begin) {
        return;
    }
    for (const Storage storage : frame.held[index(block)]) {
        device_.release(storage);
    }
    frame.held[index(block)].clear();
    for (const TensorId input : list.blocks[index(block)].inputs) {
        if (list.blocks[index(block)].keepsGraph) {
            attributes_.assignGraph({place.identity, block},
                                    input,
                                    frame.storage[index(input)],
                                    gradients.of[index(input)]);
        }
        device_.release(frame.storage[index(input)]);
    }
}

void SegmentWalk::assignAttributes(const SegmentPlace& place, std::size_t op, const Frame& frame) {
    const Op& now = place.ops->ops[op];
    for (const TensorId id : now.attributes) {
        const bool held = frame.recomputed || !now.attributesOfSecond;
        const Storage storage =
            held ? frame.storage[index(place.ops->tensor(id).base)] : kNoStorage;
        DeviceScript* const script = device_.pauseRecord();
        if (script != nullptr) {
            script->visit(attributeTag(op, id), storage);
        }
        assignAttribute(place, attributeTag(op, id), storage);
        device_.resumeRecord(script);
    }
}

/// A graph behind the old variable goes with it.
void SegmentWalk::assignAttribute(const SegmentPlace& place, std::int64_t tag, Storage storage) {
    const auto id = static_cast<TensorId>(tag % kMostTensors);
    const auto op = static_cast<std::size_t>(tag / kMostTensors);
    if (place.ops->tensor(id).requiresGrad) {
        attributes_.dropGraph({place.identity, place.ops->ops[op].block});
    }
    attributes_.assign(place.identity, id, storage);
}

/// Hands weight gradients to the engine, or keeps them for the op where autograd does; a weight's
/// next gradient is added into the one that is kept.
void SegmentWalk::deliver(const SegmentPlace& place, const Op& op, const Storages& made) {
    if (op.defersWeights) {
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (!deferred_.emplace(op.weights[i], made[i]).second) {
                device_.release(made[i]);
            }
        }
    } else if (!made.empty()) {
        handOverGradients(place, op, made);
    }
    for (const int weight : op.delivers) {
        const auto found = deferred_.find(weight);
        if (found != deferred_.end()) {
            handOver(place, weight, found->second);
            deferred_.erase(found);
        }
    }
}

}  // namespace fabricast
