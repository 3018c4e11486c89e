#pragma once
#include "planner/base/units.h"
#include "planner/compute/kernel_times.h"
#include "planner/spec/kernel_profile.h"

#include <cstdint>

namespace fabricast {

enum class AttentionPass { Forward, Backward };

/// Bytes moved per score by what surrounds the two products where attention is written out: scale,
/// mask, softmax and dropout, each way.
struct ScoreTraffic {
    double forward = 12.0;  ///< a fused scale-mask-softmax (4) and dropout, with its mask (5), 3
    double backward = 12.0;
};

/// softmax(Q·Kᵀ)·V of one layer on one GPU.
///     attentionTime(profile, {.batch = 1, .heads = 32, .kvHeads = 8, .queries = 8192,
///                             .keys = 8192, .headDim = 128, .valueDim = 128}, {});
struct Attention {
    AttentionCode code = AttentionCode::Native;
    GemmType type = GemmType::Bf16;
    AttentionPass pass = AttentionPass::Forward;
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t kvHeads = 1;
    std::int64_t queries = 0;  ///< length
    std::int64_t keys = 0;
    std::int64_t headDim = 128;   ///< of queries and keys
    std::int64_t valueDim = 128;  ///< of values and outputs
    bool causal = true;           ///< the last query sees all keys
    std::int64_t window = 0;      ///< keys that a query sees at most; 0: no bound
    bool paged = false;           ///< a server's paged cache
    bool biased = false;          ///< adds a number to each pair's product, masked ones too
    ScoreTraffic scores{};        ///< AttentionCode::Math

    /// Pairs of query and key of one head that are not masked out.
    [[nodiscard]] double pairs() const;
    /// Of the two products, masked pairs left out; backward has five.
    [[nodiscard]] Flops flops() const;
};

/// The fit that answers for this code and type: the code's own, else the GPU's native one; nullptr
/// where the type is in none.
const AttentionFit* findAttention(const KernelProfile& profile, const Attention& attention);

/// The time of one pass. The profile must support the type.
Seconds attentionTime(const KernelProfile& profile,
                      const Attention& attention,
                      const RateState& state);

/// The forward time by a fit that is not in the profile yet, for the fitting program; with a part
/// of its tail, what backward is a multiple of.
Seconds attentionForwardTime(const KernelProfile& profile,
                             const AttentionFit& fit,
                             const Attention& attention,
                             const RateState& state,
                             double tailShare = 1.0);

}  // namespace fabricast
