#pragma once
#include "planner/spec/scenario.h"

#include <cstdint>

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

}  // namespace fabricast
