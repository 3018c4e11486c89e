#include "planner/compute/context_parallel_attention.h"

#include "planner/base/integers.h"

#include <algorithm>

namespace fabricast {
namespace {

/// All tokens, some heads.
ContextParallelAttention byHeads(const KernelProfile& profile,
                                 Attention whole,
                                 std::int64_t ranks,
                                 const RateState& state) {
    whole.heads = ceilDivide(whole.heads, ranks);
    whole.kvHeads = std::max<std::int64_t>(1, whole.kvHeads / ranks);
    return {.steps = 1, .first = attentionTime(profile, whole, state)};
}

/// The keys rotate: first the rank's own, then half of a square in each step (a causal mask hides
/// the other half: of the keys from later ranks, or of the rank's own first chunk), or for the last
/// of ranks with one chunk a whole one.
ContextParallelAttention byRing(const KernelProfile& profile,
                                const Attention& whole,
                                const ContextSplit& split,
                                const RateState& state) {
    Attention own = whole;
    own.queries = ceilDivide(whole.queries, split.ranks);
    own.keys = ceilDivide(whole.keys, split.ranks);
    Attention other = own;
    other.causal = false;
    if (whole.causal && split.balanced) {
        other.keys = ceilDivide(own.keys, 2);
    }
    return {.steps = split.ranks,
            .first = attentionTime(profile, own, state),
            .each = attentionTime(profile, other, state)};
}

/// One's queries on all keys up to them: a causal rank runs its early chunk and its late one. Over
/// all ranks the pair sees the same: the first chunk and the whole sequence, for rank 0. Of ranks
/// with one chunk the last sees all keys.
ContextParallelAttention byGather(const KernelProfile& profile,
                                  const Attention& whole,
                                  const ContextSplit& split,
                                  const RateState& state) {
    Attention own = whole;
    if (!whole.causal || !split.balanced) {
        own.queries = ceilDivide(whole.queries, split.ranks);
        return {.steps = 1, .first = attentionTime(profile, own, state)};
    }
    const std::int64_t chunk = ceilDivide(whole.queries, 2 * split.ranks);
    own.queries = chunk;
    own.keys = std::min(chunk, whole.keys);
    const Seconds early = attentionTime(profile, own, state);
    own.keys = whole.keys;
    return {.steps = 2, .first = early, .each = attentionTime(profile, own, state)};
}

}  // namespace

ContextParallelAttention contextParallelAttention(const KernelProfile& profile,
                                                  const Attention& whole,
                                                  const ContextSplit& split,
                                                  const RateState& state) {
    if (split.ranks <= 1) {
        return {.steps = 1, .first = attentionTime(profile, whole, state)};
    }
    switch (split.kind) {
        case CpKind::Ulysses:
            return byHeads(profile, whole, split.ranks, state);
        case CpKind::AllGather:
            return byGather(profile, whole, split, state);
        case CpKind::Ring:
        case CpKind::Hierarchical:
            break;
    }
    return byRing(profile, whole, split, state);
}

}  // namespace fabricast
