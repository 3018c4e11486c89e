#include "planner/memory/walk/module_hooks.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Modules of one segment have numbers below this one.
constexpr int kModulesPerSegment = 1 << 10;

bool isEmpty(const ModuleSpan& span) {
    return span.begin == span.end;
}

bool anyWantsGradient(const OpList& list, const TensorIds& ids) {
    return std::any_of(
        ids.begin(), ids.end(), [&](TensorId id) { return list.tensor(id).requiresGrad; });
}

/// Backward enters a module by the gradient of what it made.
bool isReached(const OpList& list, const ModuleSpan& span) {
    for (std::size_t op = span.begin; op < span.end; ++op) {
        if (anyWantsGradient(list, list.ops[op].outputs)) {
            return true;
        }
    }
    return isEmpty(span);
}

/// And leaves it by the gradient of what it read.
bool isLeft(const OpList& list, const ModuleSpan& span) {
    for (std::size_t op = span.begin; op < span.end; ++op) {
        if (!list.ops[op].inputs.empty()) {
            return anyWantsGradient(list, list.ops[op].inputs);
        }
    }
    return true;
}

}  // namespace

ModuleCall ModuleHooks::callOf(const SegmentPlace& place, std::size_t module) const {
    ModuleCall call{.module = place.identity * kModulesPerSegment + static_cast<int>(module),
                    .unit = place.unit};
    for (const int weight : place.ops->modules[module].weights) {
        call.weights.push_back(place.firstWeight + weight);
    }
    return call;
}

void ModuleHooks::beforeForward(const SegmentPlace& place, std::size_t op) {
    if (!engine_.watchesModules()) {
        return;
    }
    const auto& spans = place.ops->modules;
    for (std::size_t module = 0; module < spans.size(); ++module) {
        if (spans[module].begin == op && !isEmpty(spans[module])) {
            engine_.enterModule(callOf(place, module), false);
        }
    }
}

void ModuleHooks::afterForward(const SegmentPlace& place, std::size_t op) {
    if (!engine_.watchesModules()) {
        return;
    }
    const auto& spans = place.ops->modules;
    for (std::size_t module = 0; module < spans.size(); ++module) {
        if (isEmpty(spans[module]) && spans[module].begin == op + 1) {
            engine_.enterModule(callOf(place, module), false);
            engine_.leaveModule(callOf(place, module), false);
        }
    }
    for (std::size_t module = spans.size(); module-- > 0;) {
        if (spans[module].end == op + 1 && !isEmpty(spans[module])) {
            engine_.leaveModule(callOf(place, module), false);
        }
    }
}

void ModuleHooks::beforeBackward(const SegmentPlace& place, std::size_t op) {
    if (!engine_.watchesModules()) {
        return;
    }
    const auto& spans = place.ops->modules;
    for (std::size_t module = 0; module < spans.size(); ++module) {
        if (spans[module].end == op + 1 && isReached(*place.ops, spans[module])) {
            engine_.enterModule(callOf(place, module), true);
            if (isEmpty(spans[module])) {
                engine_.leaveModule(callOf(place, module), true);
            }
        }
    }
}

/// A segment without input has nothing to send a gradient to: autograd never leaves its modules.
void ModuleHooks::afterBackward(const SegmentPlace& place, std::size_t op) {
    if (!engine_.watchesModules() || place.ops->input == kNoTensor) {
        return;
    }
    const auto& spans = place.ops->modules;
    for (std::size_t module = spans.size(); module-- > 0;) {
        if (spans[module].begin == op && !isEmpty(spans[module]) &&
            isReached(*place.ops, spans[module]) && isLeft(*place.ops, spans[module])) {
            engine_.leaveModule(callOf(place, module), true);
        }
    }
}

}  // namespace fabricast
