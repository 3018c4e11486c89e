#include "planner/compute/attention_time.h"

#include "planner/base/check.h"
#include "planner/compute/fit_terms.h"
#include "planner/compute/gemm_time.h"
#include "planner/compute/kernel_times.h"

#include <cmath>
#include <cstdlib>

namespace fabricast {

namespace {

/// Queries of one tile: what the last multiprocessor still works on when the others are done.
constexpr double kTileQueries = 128;
/// A launch without a cache to write: H100's dense fits have 2.2 to 3.4 us, its paged ones 10 to
/// 13.
constexpr double kDenseLaunch = 3e-6;
/// A pair whose number is read over one without: 1.6 to 2.1 on an H100 (cuDNN's kernels under masks
/// of windows; Phi-3 mini and three of Gemma 3, heads of 96 and 256).
constexpr double kBiased = 1.8;
/// Where backward over forward was measured: short sequences, and long ones.
constexpr double kShort = 4096;
constexpr double kLong = 32768;

/// Keys that a query sees at most.
double reach(const Attention& attention) {
    const auto keys = static_cast<double>(attention.keys);
    return attention.window > 0 ? std::min(keys, static_cast<double>(attention.window)) : keys;
}

/// The rate at a head's width over that at 128, between the widths that were measured.
double headRate(const AttentionFit& fit, std::int64_t dim) {
    HeadRate below{0, 0.0};
    for (const HeadRate& rate : fit.headRates) {
        if (rate.dim >= dim) {
            const double part =
                static_cast<double>(dim - below.dim) / static_cast<double>(rate.dim - below.dim);
            return below.rate + part * (rate.rate - below.rate);
        }
        below = rate;
    }
    return below.dim > 0 ? below.rate : 1.0;
}

/// Of the widths measured with this code (or with any), the nearest.
const BackwardRatio& findBackward(const KernelProfile& profile,
                                  AttentionCode code,
                                  const Attention& attention) {
    const BackwardRatio* nearest = nullptr;
    std::int64_t distance = 0;
    bool nearestIsOwn = false;
    for (const BackwardRatio& ratio : profile.backward) {
        const bool isOwn = ratio.code == code;
        if (!isOwn && (nearestIsOwn || ratio.code != AttentionCode::Native)) {
            continue;
        }
        const std::int64_t away = std::abs(ratio.headDim - attention.headDim) +
                                  std::abs(ratio.valueDim - attention.valueDim);
        if (nearest == nullptr || away < distance || (isOwn && !nearestIsOwn)) {
            nearest = &ratio;
            distance = away;
            nearestIsOwn = isOwn;
        }
    }
    FABRICAST_CHECK(nearest != nullptr);
    return *nearest;
}

/// Between short and long by ln(length).
double ratioAt(const BackwardRatio& ratio, double length) {
    const double part = std::log(std::clamp(length, kShort, kLong) / kShort);
    return ratio.atShort + part / std::log(kLong / kShort) * (ratio.atLong - ratio.atShort);
}

/// Attention without a fused kernel: batched products with the scores in memory between them, and
/// nothing saved by a mask. Time of one pass.
Seconds writtenOutAttentionTime(const KernelProfile& profile,
                                const Attention& attention,
                                const RateState& state) {
    const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        return gemmTime(profile,
                        {.m = m,
                         .n = n,
                         .k = k,
                         .type = attention.type,
                         .batch = attention.batch * attention.heads},
                        state);
    };
    const std::int64_t queries = attention.queries;
    const std::int64_t keys = attention.keys;
    const double scores = static_cast<double>(attention.batch * attention.heads) *
                          static_cast<double>(queries) * static_cast<double>(keys);
    if (attention.pass == AttentionPass::Forward) {
        return product(queries, keys, attention.headDim) +
               product(queries, attention.valueDim, keys) +
               memoryTime(profile, MemoryOp::Softmax, scores * attention.scores.forward, state);
    }
    // Each product has two gradients: of the scores and values, of the queries and keys.
    return product(queries, keys, attention.valueDim) + product(keys, attention.valueDim, queries) +
           product(queries, attention.headDim, keys) + product(keys, attention.headDim, queries) +
           memoryTime(profile, MemoryOp::Softmax, scores * attention.scores.backward, state);
}

}  // namespace

double Attention::pairs() const {
    const auto rows = static_cast<double>(queries);
    const double most = reach(*this);
    if (!causal) {
        return rows * most;
    }
    // Query i sees keys − queries + i of them, none below 0, and at most the window.
    const auto before = static_cast<double>(keys - queries);
    const double seeing = std::min(rows, rows + before);
    const double start = std::clamp(before, 0.0, most);
    const double growing = std::min(most - start, seeing);
    return growing * (start + growing / 2) + (seeing - growing) * most;
}

Flops Attention::flops() const {
    constexpr double kForward = 2;
    constexpr double kBackward = 5;
    const double products = pass == AttentionPass::Forward ? kForward : kBackward;
    // Each product multiplies and adds over the mean of both widths.
    const double width = static_cast<double>(headDim + valueDim) / 2;
    return Flops(2 * products * static_cast<double>(batch) * static_cast<double>(heads) * width *
                 pairs());
}

const AttentionFit* findAttention(const KernelProfile& profile, const Attention& attention) {
    // fp16 runs like bf16.
    const GemmType type = attention.type == GemmType::Fp16 ? GemmType::Bf16 : attention.type;
    const AttentionFit* native = nullptr;
    const AttentionFit* own = nullptr;
    for (const AttentionFit& fit : profile.attention) {
        if (fit.type != type) {
            continue;
        }
        // Of two fits of one kernel, the one that was timed as it runs here.
        const bool better = fit.paged == attention.paged;
        if (native == nullptr || (fit.code == native->code && better)) {
            native = &fit;
        }
        if (fit.code == attention.code && (own == nullptr || better)) {
            own = &fit;
        }
    }
    return own != nullptr ? own : native;
}

/// FL = 4·b·h·d·(pairs + q·s0);  tc = FL/R, throttled
/// tl = 4·128·d·(keys + s0)·β·SM/R: the last tile, on one multiprocessor
/// tm = (bytes·b·q·h·(dqk + dv)·cq + bytes·b·keys·kv·(dqk + dv)·ck)/BW
/// t  = t0 + (tc^p + tl^p)^(1/p) + tm
Seconds attentionForwardTime(const KernelProfile& profile,
                             const AttentionFit& fit,
                             const Attention& attention,
                             const RateState& state,
                             double tailShare) {
    const auto both = static_cast<double>(attention.headDim + attention.valueDim);
    const auto batch = static_cast<double>(attention.batch);
    const auto heads = static_cast<double>(attention.heads);
    const auto queries = static_cast<double>(attention.queries);
    const double rate = fit.peak.count() * fit.efficiency * headRate(fit, attention.headDim);
    const double work = 2 * both * batch * heads * (attention.pairs() + queries * fit.baseLength);
    RateState clock = state;
    clock.sustained = state.sustained && !fit.inLoop;
    const double compute = throttled(work / (rate * state.multiprocessors),
                                     fit.throttle,
                                     fit.throttleTime,
                                     profile.sustained.factor,
                                     clock);
    const double tail = 2 * kTileQueries * both * (reach(attention) + fit.baseLength) * fit.tail *
                        tailShare * static_cast<double>(profile.multiprocessors) / rate;
    const double keyTraffic = fit.paged && !attention.paged ? 1.0 : fit.keyTraffic;
    const double bytes =
        fit.inputBytes * batch * both *
        (queries * heads * fit.queryTraffic +
         static_cast<double>(attention.keys) * static_cast<double>(attention.kvHeads) * keyTraffic);
    const double memory = bytes / (profile.memoryBandwidth.count() * state.bandwidth);
    const double launch = fit.paged && !attention.paged ? std::min(fit.launch.count(), kDenseLaunch)
                                                        : fit.launch.count();
    return Seconds(launch + join(compute, tail, fit.joinPower) + memory);
}

Seconds attentionTime(const KernelProfile& profile,
                      const Attention& attention,
                      const RateState& state) {
    if (attention.code == AttentionCode::Math) {
        return writtenOutAttentionTime(profile, attention, state);
    }
    const AttentionFit* fit = findAttention(profile, attention);
    FABRICAST_CHECK(fit != nullptr);
    const double scale = profile.attentionScale * (attention.biased ? kBiased : 1.0);
    if (attention.pass == AttentionPass::Forward) {
        return attentionForwardTime(profile, *fit, attention, state) * scale;
    }
    const BackwardRatio& backward = findBackward(profile, fit->code, attention);
    const Seconds forward = attentionForwardTime(profile, *fit, attention, state, backward.tail);
    return forward * (ratioAt(backward, reach(attention)) * scale);
}

}  // namespace fabricast
