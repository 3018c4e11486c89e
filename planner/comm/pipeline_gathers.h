#pragma once
#include "planner/base/result.h"
#include "planner/comm/collective_groups.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// How often the parameters of one chunk are gathered in a pass of the pipeline.
struct ChunkGathers {
    std::int64_t ahead = 0;     ///< by the schedule's own UNSHARD
    std::int64_t forward = 0;   ///< where a forward finds them resharded
    std::int64_t backward = 0;  ///< where a backward does
};

/// This is when torch's pipelines gather the parameters of FSDP2 modules: chunk by chunk of a rank.
/// With one stage on a rank its first forward does; with several the schedule holds three stages
/// ahead and drops the others. Backwards leave parameters gathered, forwards only unless FSDP
/// reshards always.
Result<std::vector<ChunkGathers>> pipelineGathers(const StageView& view);

}  // namespace fabricast
