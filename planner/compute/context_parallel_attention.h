#pragma once
#include "planner/compute/attention_time.h"
#include "planner/spec/layout.h"

#include <cstdint>

namespace fabricast {

/// Attention of one rank where `ranks` share the sequence: its kernels one after another. A ring
/// with `steps` of them hides communication behind each; `first` is the causal one.
struct ContextParallelAttention {
    std::int64_t steps = 1;
    Seconds first{};
    Seconds each{};  ///< of the other steps

    [[nodiscard]] Seconds total() const { return first + each * static_cast<double>(steps - 1); }
};

/// How the sequence is divided.
struct ContextSplit {
    std::int64_t ranks = 1;
    CpKind kind = CpKind::Ring;
    /// Causal ranks hold a chunk from each end, so that all have the same work. Else each holds
    /// one, and all wait for the last, whose queries see every key.
    bool balanced = true;
};

/// `whole` has the full sequence and one rank's heads without context parallelism.
///     contextParallelAttention(profile, whole, {.ranks = 4}, {}).total();
ContextParallelAttention contextParallelAttention(const KernelProfile& profile,
                                                  const Attention& whole,
                                                  const ContextSplit& split,
                                                  const RateState& state);

}  // namespace fabricast
