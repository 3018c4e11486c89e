#pragma once
#include "planner/launch/python_models.h"
#include "planner/launch/scenario_draft.h"

#include <string_view>

namespace fabricast {

// The loss of a program's own: compute_loss of its Trainer, what it gives as compute_loss_func, or
// what its loop makes of the logits.

/// Key of such a loss: "more" where it makes more of the logits than transformers' own does.
inline constexpr const char* kOwnLoss = "model loss";

/// Key of a training_step that does more than the Trainer's own.
inline constexpr const char* kOwnStep = "model training_step";

/// Adds that key of the Trainer that the program makes.
///     probs = torch.softmax(logits, -1)        →  "more"
///     F.cross_entropy(logits.float(), labels)  →  ""
void addOwnLoss(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// Adds the same key of a loop of the program's own that has a loss beside the model's.
///     loss = F.kl_div(F.log_softmax(model(x).logits, -1), targets); loss.backward()  →  "more"
void addLoopLoss(const PythonValues& program,
                 const PythonCourse& course,
                 const PythonModels& models,
                 LaunchKeys& keys);

/// What makes no tensor of the logits' size beyond transformers' own loss: "cross_entropy", "view".
bool isOfOneLoss(std::string_view called);

/// Says that it is forecast as transformers' loss, or asks for that.
void importOwnLoss(ScenarioDraft& draft);

/// Key of a name that a loop gives what its model returns: the logits live as long as it has that.
inline constexpr const char* kHeldLogits = "model output held";

/// Adds that key where a backward pass follows.
///     out = model(x, labels=x); out.loss.backward()  →  "out"
///     model(x, labels=x).loss.backward()             →  none
void addHeldLogits(const PythonValues& program, const PythonModels& models, LaunchKeys& keys);

/// Says that they are not counted.
void importHeldLogits(ScenarioDraft& draft);

}  // namespace fabricast
