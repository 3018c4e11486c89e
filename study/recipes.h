#pragma once
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"
#include "study/question.h"

#include <string_view>
#include <vector>

namespace fabricast {

/// Whether a search takes software as its own recipes run it ("search": {"software": "tuned"}),
/// or with the defaults of each stack.
Result<bool> isTuned(const Question& question);

/// What the published recipe of a stack sets for this model and cluster, where the question does
/// not say the same key: for any layout, without an effect on what is trained.
///     recipeEdits(question, "fsdp2", scenario)  →  settings.kernels.compile=true
std::vector<Edit> recipeEdits(const Question& question,
                              std::string_view stack,
                              const Scenario& scenario);

/// "fsdp2 as published: settings.kernels.compile=true (Hugging Face, torch_compile)"; empty where
/// there are no edits.
std::string recipeNote(std::string_view stack, const std::vector<Edit>& edits);
bool isRecipeNote(std::string_view note);

}  // namespace fabricast
