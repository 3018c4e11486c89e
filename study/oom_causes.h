#pragma once
#include "planner/base/units.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/oom_answer.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Why an allocation failed, as far as the message tells; the scenario and its forecast may be
/// null.
std::vector<OomCause> causesOf(const MemoryMessage& message,
                               const Scenario* scenario,
                               const MemoryBreakdown* forecast);

/// Whether the allocator had as much as was missing, but in pieces.
bool isInPieces(const MemoryMessage& message);

/// What other processes hold. A display's or a monitor's few megabytes are rounding.
std::optional<Bytes> notableOthers(const MemoryMessage& message);

/// Which of the tensors of a run that grow fastest with its lengths has about this size: scores of
/// attention that is not fused, its mask, logits. Where none has, what the largest would take.
///     tensorOfSize(1024 GiB, scenario)  →
///         "scores of 1 x 32 heads x 131072 x 131072 in 16 bits have this size"
std::string tensorOfSize(Bytes size, const Scenario& scenario);

/// What ran out outside PyTorch's allocator, whose messages say no size. The forecast may be null.
std::vector<OomCause> causesElsewhere(const MemoryMessage& message,
                                      const MemoryBreakdown* forecast);

/// What shows the processes of a GPU that PyTorch runs on so: "nvidia-smi".
std::string_view processListOf(MemoryMessage::Runtime runtime);

}  // namespace fabricast
