#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_models.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// Key of gradients that a loop keeps through its forward passes: where it zeroes them in place,
/// frees them behind the forward pass, or never does.
inline constexpr const char* kKeptGradients = "gradients kept";

/// Adds that key.
///     optimizer.zero_grad(set_to_none=False)
///     loss = model(x).loss; optimizer.zero_grad(); loss.backward()
void addKeptGradients(const PythonValues& program,
                      const PythonCourse& course,
                      const PythonModels& models,
                      LaunchKeys& keys);

/// Says of a draft what is kept: "settings.torch.set_to_none".
void importKeptGradients(ScenarioDraft& draft);

}  // namespace fabricast
