#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/base/watch.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Two peaks within this may be one run's. A judgement, and no measured error: near to what nine in
/// ten published messages have in no tensor, 14.5 % of the GPU's memory (docs/memory.md).
inline constexpr double kNearlySame = 0.15;

/// Of a run that is not the scenario's: other questions whose forecast comes within this part of
/// what it took, the nearest first; another micro-batch, sequence, recomputation or loss.
Result<std::vector<OomGuess>> guessesFor(const Question& question,
                                         const Scenario& scenario,
                                         Bytes needed,
                                         double within,
                                         const Workbench& bench,
                                         const Watch& watch);

/// Whether peft's preparation of quantised weights explains tensors that are larger than forecast.
Result<std::optional<OomCause>> preparationFor(const Question& question,
                                               const Scenario& scenario,
                                               const MemoryMessage& message,
                                               const MemoryBreakdown& forecast,
                                               const Workbench& bench,
                                               const Watch& watch);

/// The GPUs whose driver reports this memory, the nearest first and a few at most.
std::vector<std::string> gpusAlike(Bytes memory, const Workbench& bench);

/// Whether a report has no tensors, but what all of PyTorch, or all of a GPU, holds.
bool isOfTotals(const MemoryMessage& message);
/// Its parts beside those of the forecast, which may be null.
std::vector<MemoryLayer> totalLayers(const MemoryMessage& message, const MemoryBreakdown* forecast);

/// What is PyTorch's and what is not of a message that does not tell them apart: its row goes
/// behind the others.
void addUntold(const MemoryMessage& message, std::vector<MemoryLayer>& layers);

}  // namespace fabricast
