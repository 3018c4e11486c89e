#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/explanation.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <optional>
#include <span>

namespace fabricast {

/// Which changes are tried: all, or settings alone, where a search has chosen the layout.
enum class FasterBy : std::uint8_t { Anything, Settings };

/// Of the changes that cost nothing (the same model, batch and GPUs) and that the stack takes, the
/// one with the shortest step that fits as surely as the question does; nothing where none of the
/// three fastest does or none is faster by a fiftieth. `scenario`, `step` and `now`, its verdict
/// where it has one, are those of the question.
Result<std::optional<FasterChange>> fasterChange(const Question& question,
                                                 const Scenario& scenario,
                                                 const StepEstimate& step,
                                                 const std::optional<Verdict>& now,
                                                 const Workbench& bench,
                                                 const Watch& watch,
                                                 FasterBy by = FasterBy::Anything);

/// Whether a plan surely fits in its GPUs alone: host memory may not be there, and is slow.
bool isSurelyOnDevice(const Plan& plan);

/// What is offered where none of a question's plans, best first, surely fits in its GPUs alone: of
/// the settings that change nothing of the training and need less memory the one whose best sure
/// plan is fastest. Nothing where none has one, or where the best surely fits with the host's help
/// and is as fast.
Result<std::optional<SurerChange>> surerChange(const Question& question,
                                               std::span<const Plan> plans,
                                               const Workbench& bench,
                                               const Watch& watch);

}  // namespace fabricast
