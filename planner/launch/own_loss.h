#pragma once
#include "planner/launch/python_branches.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// The loss of a program's own: compute_loss of its Trainer, or what it gives as compute_loss_func.

/// Key of such a loss: "more" where it makes more of the logits than transformers' own does.
inline constexpr const char* kOwnLoss = "model loss";

/// Key of a training_step that does more than the Trainer's own.
inline constexpr const char* kOwnStep = "model training_step";

/// Adds that key of the Trainer that the program makes.
///     probs = torch.softmax(logits, -1)        →  "more"
///     F.cross_entropy(logits.float(), labels)  →  ""
void addOwnLoss(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// Says that it is forecast as transformers' loss, or asks for that.
void importOwnLoss(ScenarioDraft& draft);

}  // namespace fabricast
