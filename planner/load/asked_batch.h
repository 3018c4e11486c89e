#pragma once
#include "planner/base/result.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/layout.h"
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

// The samples of a step and their length; `assumed` gets what nobody said.

/// The samples of a step that is given in tokens: exactly, or rounded to what divides well over
/// `step` samples at a time, which is said.
Result<std::int64_t> samplesOfTokens(const WorkloadRequest& workload,
                                     std::int64_t sequence,
                                     std::int64_t step,
                                     std::vector<std::string>& assumed);

/// The samples of a step where nothing says them and the layout is open.
std::int64_t usualBatch(std::int64_t gpus,
                        std::int64_t sequence,
                        std::vector<std::string>& assumed);

/// The samples of a step of so many data parallel ranks, each with its own.
Result<std::int64_t> batchOfRanks(const WorkloadRequest& workload,
                                  std::int64_t ranks,
                                  std::vector<std::string>& assumed);

/// The samples of a step: as given, from tokens, or one microbatch per rank and pipeline stage.
Result<std::int64_t> globalBatchOf(const WorkloadRequest& workload,
                                   std::int64_t sequence,
                                   const Layout& layout,
                                   std::vector<std::string>& assumed);

std::int64_t sequenceOf(const WorkloadRequest& workload,
                        const ModelSpec& model,
                        std::vector<std::string>& assumed);

/// A learned table has no row beyond its last; rotary positions extend further, with less quality.
Result<void> checkPositions(const ModelSpec& model,
                            std::int64_t sequence,
                            std::vector<std::string>& assumed);

}  // namespace fabricast
