#include "planner/compute/optimizer_step_time.h"

#include "planner/compute/gemm_time.h"
#include "planner/compute/memory_time.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// How often a step passes over each array, reads and writes counted apart.
struct Passes {
    double parameter = 2.0;
    double gradient = 1.0;
    double momentum = 2.0;
    double variance = 2.0;
    double scratch = 0.0;  ///< of the parameter's width
    double kernels = 1.0;
};

constexpr Passes kFusedAdam = {};
/// torch's foreach AdamW: decay (p 2), lerp (m 2, g 1), mul (v 2), addcmul (v 2, g 1), sqrt (v 1,
/// s 1), two scalings (s 4), addcdiv (p 2, m 1, s 1).
constexpr Passes kForeachAdam = {4, 2, 3, 5, 6, 8};
constexpr Passes kFusedLion = {2, 1, 2, 0, 0, 1};
/// decay (p 2), a copy of the momentum to blend and its sign (m 1, g 1, s 5), step (p 2, s 1), lerp
/// (m 2, g 1).
constexpr Passes kForeachLion = {4, 2, 3, 0, 6, 6};
constexpr Passes kFusedSgd = {2, 1, 0, 0, 0, 1};
constexpr Passes kFusedMomentum = {2, 1, 2, 0, 0, 1};
/// decay (g 1, p 1, s 1), momentum (m 2 + 2, s 1), step (p 2, m 1).
constexpr Passes kForeachMomentum = {3, 1, 5, 0, 2, 4};
constexpr Passes kForeachSgd = {3, 1, 0, 0, 2, 2};
/// Squares, two means, the outer product's root, update, its norm, step: moments are rows and
/// columns only.
constexpr Passes kAdafactor = {4, 3, 0, 0, 8, 12};
/// Momentum and Nesterov's blend; orthogonalised in bf16 (a cast and its norm), then the step.
constexpr Passes kMuon = {3, 2, 3, 0, 4, 6};

/// Foreach kernels take tensors in chunks; a list's worth of arguments holds about this many.
constexpr double kTensorsPerLaunch = 60;
/// Blocks of 256 share a 4-byte scale.
constexpr double kEightBit = 1.0 + 4.0 / 256;
/// Blocks of 128 share a 4-byte scale.
constexpr double kFourBit = 0.5 + 4.0 / 128;

bool isFused(const OptimizerStep& step) {
    return step.kernel != OptimizerKernel::Foreach && step.kernel != OptimizerKernel::ForLoop;
}

Passes passesOf(const OptimizerStep& step) {
    const bool fused = isFused(step);
    switch (step.kind) {
        case OptimizerKind::AdamW:
            return fused ? kFusedAdam : kForeachAdam;
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::AdamW4bit:
        case OptimizerKind::AdamWFp8:
        case OptimizerKind::PagedAdamW8bit:
            return kFusedAdam;
        case OptimizerKind::Adafactor:
            return kAdafactor;
        case OptimizerKind::Lion:
            return fused ? kFusedLion : kForeachLion;
        case OptimizerKind::Lion8bit:
            return kFusedLion;
        case OptimizerKind::Sgd:
            return fused ? kFusedSgd : kForeachSgd;
        case OptimizerKind::SgdMomentum:
            return fused ? kFusedMomentum : kForeachMomentum;
        case OptimizerKind::Muon:
            return kMuon;
    }
    return kFusedAdam;
}

double momentBytes(const OptimizerStep& step) {
    switch (step.kind) {
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::PagedAdamW8bit:
        case OptimizerKind::AdamWFp8:
        case OptimizerKind::Lion8bit:
            return kEightBit;
        case OptimizerKind::AdamW4bit:
            return kFourBit;
        default:
            return step.momentBytes;
    }
}

Seconds passTime(const KernelProfile& profile, double bytes, const RateState& state) {
    return memoryTime(profile, MemoryOp::Optimizer, bytes, state);
}

}  // namespace

double optimizerTraffic(const OptimizerStep& step) {
    const Passes passes = passesOf(step);
    const double copy = step.copyBytes > 0 ? step.parameterBytes + step.copyBytes : 0.0;
    return (passes.parameter + passes.scratch) * step.parameterBytes +
           passes.gradient * step.gradientBytes +
           (passes.momentum + passes.variance) * momentBytes(step) + copy;
}

double optimizerKernels(const OptimizerStep& step) {
    const double launches = step.kernel == OptimizerKernel::ForLoop
                                ? step.tensors
                                : std::ceil(step.tensors / kTensorsPerLaunch);
    return std::max(1.0, launches) * passesOf(step).kernels;
}

Seconds optimizerStepTime(const KernelProfile& profile,
                          const OptimizerStep& step,
                          const RateState& state) {
    if (!(step.parameters > 0)) {
        return Seconds(0);
    }
    const MemoryFit& fit = profile.fit(MemoryOp::Optimizer);
    const Seconds moved = passTime(profile, optimizerTraffic(step) * step.parameters, state);
    return moved + fit.launch * (optimizerKernels(step) - 1);
}

/// With G bytes of gradients, P parameters and D shards: zero G; check G; scale 2·G; then of a
/// shard: norm G/D, clip 2·G/D, and the update.
Seconds megatronStepTime(const KernelProfile& profile,
                         const MegatronStep& step,
                         const RateState& state) {
    const double gradients = step.update.parameters * step.update.gradientBytes;
    const double shard = gradients / step.shards;
    Seconds time = passTime(profile, gradients, state);
    if (step.checkGradients) {
        time += passTime(profile, gradients, state);
    }
    if (step.scaleGradients) {
        time += passTime(profile, 2 * gradients, state);
    }
    if (step.clip) {
        time += passTime(profile, shard, state) + passTime(profile, 2 * shard, state);
    }
    OptimizerStep update = step.update;
    update.parameters /= step.shards;
    return time + optimizerStepTime(profile, update, state);
}

Seconds newtonSchulzTime(const KernelProfile& profile,
                         std::int64_t rows,
                         std::int64_t columns,
                         const RateState& state,
                         int iterations) {
    const std::int64_t narrow = std::min(rows, columns);
    const std::int64_t wide = std::max(rows, columns);
    const Seconds gram = gemmTime(profile, {.m = narrow, .n = narrow, .k = wide}, state);
    const Seconds square = gemmTime(profile, {.m = narrow, .n = narrow, .k = narrow}, state);
    const Seconds apply = gemmTime(profile, {.m = narrow, .n = wide, .k = narrow}, state);
    return (gram + square + apply) * static_cast<double>(iterations);
}

}  // namespace fabricast
