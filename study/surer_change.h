#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <span>

namespace fabricast {

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
