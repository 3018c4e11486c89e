#pragma once
#include "planner/launch/opened_file.h"
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string>

namespace fabricast {

/// A change as keys of torchtune's config, or as they are typed behind its recipe where the key
/// that changes is: "batch_size: 1, gradient_accumulation_steps: 8". Empty where a recipe has no
/// key for one of the edits.
std::string tuneWords(const OpenedFile& config, std::span<const Edit> edits, const Scenario& then);

}  // namespace fabricast
