#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// What one rank sees of a microbatch: its tokens, and its share of heads and widths.
///     const RankShape shape = rankShape(scenario);
///     shape.tokens * scenario.model.hidden   // elements of the residual stream, whole
struct RankShape {
    std::int64_t batch = 1;
    std::int64_t sequence = 0;     ///< per context-parallel rank
    std::int64_t tokens = 0;       ///< batch · sequence
    std::int64_t localTokens = 0;  ///< ÷ tp under sequence parallelism
    std::int64_t fullSequence = 0;
    std::int64_t tp = 1;
    bool sp = false;
    std::int64_t cp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 1;
    std::int64_t heads = 0;    ///< local
    std::int64_t kvHeads = 0;  ///< local; at least one, replicated where tp > kvHeads
    std::int64_t width = 0;    ///< local columns of the dense MLP
};

RankShape rankShape(const Scenario& scenario);
/// Whether every rank has heads, columns and tokens of a layer at all.
Result<void> checkRankShape(const Scenario& scenario, std::int64_t layer);

/// Rows of tokens on their way through the experts of one rank. Every rank sends topK rows per
/// token; this one receives `imbalance` times its even share.
struct MoeShape {
    std::int64_t tokens = 0;   ///< of this rank, after sequence parallelism
    std::int64_t experts = 0;  ///< of the layer
    std::int64_t localExperts = 0;
    std::int64_t topK = 0;
    std::int64_t capacity = 0;     ///< rows that an expert takes from one rank; 0: any number
    std::int64_t sent = 0;         ///< rows that this rank sends
    std::int64_t received = 0;     ///< rows that its expert-parallel group sends it
    std::int64_t rows = 0;         ///< the same from all ranks of expert tensor parallelism
    std::int64_t width = 0;        ///< local columns of one expert
    std::int64_t sharedWidth = 0;  ///< local columns of the shared experts
    std::vector<std::int64_t> perExpert;  ///< `rows` by local expert
};

MoeShape moeShape(const Scenario& scenario);

}  // namespace fabricast
