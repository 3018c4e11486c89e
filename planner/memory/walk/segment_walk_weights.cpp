#include "planner/memory/walk/segment_walk.h"

namespace fabricast {

Storages SegmentWalk::makeWeightGradients(const SegmentPlace& place,
                                          const Op& op,
                                          const Frame& frame) {
    Storages made;
    if (op.weightGradient != kNoTensor) {
        const Storage ready = frame.storage[index(op.weightGradient)];
        device_.retain(ready);
        made.push_back(ready);
        return made;
    }
    for (const int weight : op.weights) {
        const WeightUse& use = place.ops->weights[index(weight)];
        if (!use.trained || use.addedInGemm) {
            continue;
        }
        const std::int64_t width = use.cast ? kCastWidth : engine_.gradientWidthOf(use);
        const std::int64_t parts = op.stack == StackUse::Whole ? 1 : use.experts;
        made.push_back(device_.take(use.elements / parts * width, MemoryKind::Backward));
        if (op.kind == OpKind::Gemm && use.isMatrix) {
            device_.pass(kGemmWorkspace, MemoryKind::Workspace);
        }
    }
    return made;
}

/// Autocast's gradients are made in the compute type, then cast to the stored one.
Storage SegmentWalk::widen(const WeightUse& use, Storage gradient) {
    const std::int64_t bytes = use.elements * engine_.gradientWidthOf(use);
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
                              Storages& made) {
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

void SegmentWalk::handOverGradients(const SegmentPlace& place, const Op& op, const Storages& made) {
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
        if (op.stack != StackUse::Whole) {
            gradient = putInStack(place, weight, gradient);
            if (op.stack == StackUse::One) {
                continue;
            }
            stacks_.erase({place.unit, place.firstWeight + weight});
        }
        handOver(place, weight, gradient, op.inPython);
    }
}

/// Zeros of the whole stack take the gradient of one of its matrices; autograd adds them in place
/// to those of the matrices before.
Storage SegmentWalk::putInStack(const SegmentPlace& place, int weight, Storage gradient) {
    const WeightUse& use = place.ops->weights[index(weight)];
    const Storage whole =
        device_.take(use.elements * engine_.gradientWidthOf(use), MemoryKind::Backward);
    device_.release(gradient);
    const auto [sum, first] = stacks_.try_emplace({place.unit, place.firstWeight + weight}, whole);
    if (!first) {
        device_.release(whole);
    }
    return sum->second;
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

}  // namespace fabricast
