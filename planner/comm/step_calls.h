#pragma once
#include "planner/comm/stage_view.h"

#include <vector>

namespace fabricast {

/// Every communication call of one rank in a steady step, as the stack's own code makes them.
///     FABRICAST_ASSIGN(const auto calls, stepCalls(scenario, {.stage = 0}));
///     for (const CommCall& call : calls) bytes += call.count() * call.bytes();
/// Calls over a group of one rank are listed where the frameworks make them: they move nothing.
Result<std::vector<CommCall>> stepCalls(const Scenario& scenario, CommRank rank);
Result<std::vector<CommCall>> stepCalls(const StageView& view);

/// Of them, those inside the layers of a chunk: tensor, context and expert parallelism, without
/// what shards parameters or crosses stages.
std::vector<CommCall> layerCalls(const StageView& view, const ChunkView& chunk);
/// And all the others.
Result<std::vector<CommCall>> callsAroundLayers(const StageView& view);

}  // namespace fabricast
