#pragma once
#include "planner/schedule/chunk_counter.h"

#include <cstdint>

namespace fabricast {

/// The place of a rank in DualPipe's eight steps. DualPipeV folds one pipeline of 2p stages on p
/// ranks; the two-way DualPipe runs two pipelines of p stages against each other, of which each
/// half of the ranks sees the same.
struct DualPipePlace {
    std::int64_t depth = 1;         ///< ranks from the outermost to the innermost
    std::int64_t rank = 0;          ///< 0: the outermost
    std::int64_t microBatches = 0;  ///< of a chunk
    bool splitsWeights = true;      ///< weight gradients apart where that fills the bubble
};

/// DeepSeek's schedule: chunk 0 is where microbatches come from the outermost rank.
StageActions dualPipeActions(const DualPipePlace& place, ChunkCounter actions);

}  // namespace fabricast
