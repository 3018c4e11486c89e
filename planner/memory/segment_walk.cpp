#include "planner/memory/segment_walk.h"

#include "planner/memory/gradients_on_way.h"
#include "planner/memory/saving_ops.h"

#include <algorithm>

namespace fabricast {

namespace {
/// PyTorch 2.15 takes a cuBLAS workspace for the length of each GEMM (32 MiB on sm_90).
constexpr std::int64_t kGemmWorkspace = std::int64_t{32} << 20;

std::size_t index(int id) {
    return static_cast<std::size_t>(id);
}
}  // namespace

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
        frame.storage[index(id)] = given[next++];
    }
    return frame;
}

/// Autocast's copies of the op's weights; and in a checkpoint's second forward what the op saves of
/// the weights themselves, which is no longer the parameter.
void SegmentWalk::keepWeights(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    const bool saves = keep == Keep::Everything && !now.saved.empty();
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
        } else if (saves && frame.recomputed) {
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
    std::vector<Storage> temps;
    for (const std::int64_t bytes : now.forwardTemps) {
        temps.push_back(device_.take(bytes, MemoryKind::Workspace));
    }
    if (now.kind == OpKind::Gemm && !now.ownKernel) {
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
    assignAttributes(place, place.ops->ops[op], frame);
    dropInputs(*place.ops, op, frame, keep);
}

/// Takes the references that stay until the op's backward.
void SegmentWalk::keepOutputs(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    const auto retain = [&](const std::vector<TensorId>& ids) {
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
    if (keep == Keep::Block || (keep == Keep::Everything && now.block < 0)) {
        retain(now.saved);
    } else if (keep == Keep::Everything && op == list.blocks[index(now.block)].begin) {
        retain(list.blocks[index(now.block)].inputs);
    } else if (keep == Keep::Selected && now.keptBySelective) {
        frame.done[op] = true;
        retain(now.outputs);
    }
}

Frame SegmentWalk::forward(const SegmentPlace& place,
                           const std::vector<Storage>& given,
                           Keep keep) {
    Frame frame = begin(place, given);
    for (std::size_t op = 0; op < place.ops->ops.size(); ++op) {
        modules_.beforeForward(place, op);
        holdForGraph(place, op, frame, frame.untilFreed);
        runOp(place, op, frame, keep);
        modules_.afterForward(place, op);
    }
    return frame;
}

void SegmentWalk::releaseSaved(const OpList& ops, const Op& op, Frame& frame) {
    if (op.graphDropped) {
        return;
    }
    for (const TensorId id : op.saved) {
        device_.release(frame.storage[index(ops.tensor(id).base)]);
    }
    for (const int weight : op.weights) {
        Storage& cast = frame.casts[index(weight)];
        if (cast != kNoStorage) {
            device_.release(cast);
            cast = kNoStorage;
        }
    }
}

std::vector<Storage> SegmentWalk::makeWeightGradients(const SegmentPlace& place, const Op& op) {
    std::vector<Storage> made;
    for (const int weight : op.weights) {
        const WeightUse& use = place.ops->weights[index(weight)];
        if (!use.trained || use.addedInGemm) {
            continue;
        }
        const std::int64_t width = use.cast ? kCastWidth : use.widthOr(engine_.gradientWidth());
        made.push_back(device_.take(use.elements * width, MemoryKind::Backward));
        if (op.kind == OpKind::Gemm && use.isMatrix) {
            device_.release(device_.take(kGemmWorkspace, MemoryKind::Workspace));
        }
    }
    return made;
}

/// Autocast's gradients are made in the compute type, then cast to the stored one.
Storage SegmentWalk::widen(const WeightUse& use, Storage gradient) {
    const std::int64_t bytes = use.elements * use.widthOr(engine_.gradientWidth());
    if (!use.cast || device_.bytes(gradient) == bytes) {
        return gradient;
    }
    const Storage wide = device_.take(bytes, MemoryKind::Backward);
    device_.release(gradient);
    return wide;
}

/// A function written in Python keeps what it saved until its results have their types.
void SegmentWalk::finishCasts(const SegmentPlace& place,
                              const Op& op,
                              Frame& frame,
                              std::vector<Storage>& made) {
    if (!op.inPython) {
        return;
    }
    std::size_t next = 0;
    for (const int weight : op.weights) {
        const WeightUse& use = place.ops->weights[index(weight)];
        if (use.trained && !use.addedInGemm && next < made.size()) {
            made[next] = widen(use, made[next]);
            ++next;
        }
    }
    releaseSaved(*place.ops, op, frame);
}

void SegmentWalk::handOverGradients(const SegmentPlace& place,
                                    const Op& op,
                                    const std::vector<Storage>& made) {
    std::size_t next = 0;
    for (const int weight : op.weights) {
        const WeightUse& use = place.ops->weights[index(weight)];
        if (!use.trained || use.addedInGemm) {
            continue;
        }
        Storage gradient = widen(use, made[next++]);
        if (const auto kept = deferred_.find(weight); kept != deferred_.end()) {
            device_.release(gradient);
            gradient = kept->second;
            deferred_.erase(kept);
        }
        handOver(place, weight, gradient, op.inPython);
    }
}

/// Autograd holds the gradient of a tied weight's first use until the second arrives, and adds the
/// two into a third; in place where the first is a tensor of its own, as autocast's casts are.
void SegmentWalk::handOver(const SegmentPlace& place,
                           int weight,
                           Storage gradient,
                           bool ownTensor) {
    const WeightUse& use = place.ops->weights[index(weight)];
    const bool waits = use.tied && place.tiedTo >= 0 && engine_.tiedWeightsAreOneTensor();
    const std::pair key{place.unit, waits ? place.tiedTo : place.firstWeight + weight};
    if (const auto first = waiting_.find(key); first != waiting_.end()) {
        Storage sum = first->second.gradient;
        if (!first->second.contiguous) {
            sum = device_.take(device_.bytes(gradient), MemoryKind::Backward);
            device_.release(first->second.gradient);
        }
        device_.release(gradient);
        waiting_.erase(first);
        gradient = sum;
    }
    if (waits) {
        waiting_[key] = {gradient, use.cast || use.ownGradient || ownTensor};
        return;
    }
    engine_.takeGradient(key.first, key.second, gradient);
}

/// The gradients of what the operation read, made or, where it only passes its own on, shared.
std::vector<std::pair<TensorId, Storage>> SegmentWalk::makeInputGradients(const OpList& list,
                                                                          const Op& op,
                                                                          Storage output,
                                                                          const Frame& frame) {
    std::vector<std::pair<TensorId, Storage>> made;
    for (const TensorId id : op.inputs) {
        const TensorInfo& tensor = list.tensor(id);
        if (!tensor.requiresGrad) {
            continue;
        }
        const bool fits = op.viewsGradient || device_.bytes(output) == tensor.bytes;
        if (op.passesGradient && fits) {
            device_.retain(output);
            made.emplace_back(id, output);
        } else {
            made.emplace_back(id, makeInputGradient(list, op, id, frame));
        }
    }
    return made;
}

/// Runs an operation's backward; returns the gradients of its weights.
std::vector<Storage> SegmentWalk::backwardOp(const SegmentPlace& place,
                                             std::size_t op,
                                             Frame& frame,
                                             Gradients& gradients) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    device_.running(now.name);
    std::vector<Storage> outputs;
    for (const TensorId id : now.outputs) {
        if (gradients.of[index(id)] != kNoStorage) {
            outputs.push_back(gradients.of[index(id)]);
            gradients.of[index(id)] = kNoStorage;
        }
    }
    if (outputs.empty()) {
        if (!now.inPython) {
            releaseSaved(list, now, frame);
        }
        return {};
    }
    std::vector<Storage> temps;
    for (const std::int64_t bytes : now.backwardTemps) {
        temps.push_back(device_.take(bytes, MemoryKind::Backward));
    }
    const Storage castWeight = device_.take(now.castsBeforeInput, MemoryKind::Workspace);
    if (!now.inPython) {
        device_.release(castWeight);
    }
    const auto made = makeInputGradients(list, now, outputs.front(), frame);
    const Storage castInput = device_.take(now.castsBeforeWeight, MemoryKind::Workspace);
    if (!now.inPython) {
        device_.release(castInput);
    }
    const std::vector<Storage> weightGradients = makeWeightGradients(place, now);
    if (now.inPython) {
        device_.release(castInput);
        device_.release(castWeight);
    } else {
        releaseSaved(list, now, frame);
    }
    for (const Storage temp : temps) {
        device_.release(temp);
    }
    for (const Storage gradient : outputs) {
        device_.release(gradient);
    }
    for (const auto& [id, gradient] : made) {
        gradients.add(device_, id, gradient, now.viewsGradient);
    }
    return weightGradients;
}

/// True where autocast cast the input of GEMM `op` just before it, after its weight. Autograd runs
/// backward in the reverse order: the input's gradient is cast back first.
bool castsInputOf(const OpList& list, std::size_t op) {
    if (op == 0 || list.ops[op].kind != OpKind::Gemm) {
        return false;
    }
    const Op& before = list.ops[op - 1];
    return before.name == "cast" && before.outputs.front() == list.ops[op].inputs.front();
}

Storage SegmentWalk::makeInputGradient(const OpList& list,
                                       const Op& op,
                                       TensorId id,
                                       const Frame& frame) {
    if (op.gradientOver != kNoTensor) {
        const Storage written = frame.storage[index(list.tensor(op.gradientOver).base)];
        device_.retain(written);
        return written;
    }
    const std::int64_t bytes = op.gradientInScratch ? 0 : list.tensor(id).bytes;
    const Storage made = device_.take(bytes, MemoryKind::Backward);
    if (op.kind == OpKind::Gemm) {
        device_.release(device_.take(kGemmWorkspace, MemoryKind::Workspace));
    }
    return made;
}

Storage SegmentWalk::backward(const SegmentPlace& place,
                              Frame& frame,
                              Storage outputGradient,
                              const SecondForward* second) {
    const OpList& list = *place.ops;
    Gradients gradients(list.tensors.size());
    gradients.of[index(list.output)] = outputGradient;
    for (std::size_t op = list.ops.size(); op-- > 0;) {
        modules_.beforeBackward(place, op);
        if (second != nullptr && savesTensors(list, list.ops[op])) {
            runAgain(place, *second, frame);
            second = nullptr;
        }
        if (list.ops[op].recomputes >= 0) {
            runBlock(place, list.ops[op].recomputes, frame, gradients);
        }
        std::vector<Storage> made = backwardOp(place, op, frame, gradients);
        const std::size_t owner = op;
        if (casts_ != nullptr && castsInputOf(list, op)) {
            backwardOp(place, --op, frame, gradients);
        }
        finishCasts(place, list.ops[owner], frame, made);
        deliver(place, list.ops[owner], made);
        finishBlock(place, op, frame, gradients);
        modules_.afterBackward(place, op);
    }
    return list.input == kNoTensor ? kNoStorage : gradients.of[index(list.input)];
}

void SegmentWalk::dropFrame(const OpList& ops, Frame& frame) {
    for (const Op& op : ops.ops) {
        releaseSaved(ops, op, frame);
    }
}

}  // namespace fabricast
