#pragma once
#include "planner/launch/opened_file.h"
#include "planner/spec/edit.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>

namespace fabricast {

/// A change of the question as the keys of the launch file that it came from: what `emit` would
/// write otherwise for the changed one. Empty where the file has no key for it.
///     ownKeysOf(files, question, {{"layout.recompute", "full", ""}}, bench)
///         →  "activation_checkpoint.mode = \"full\""
std::string ownKeysOf(std::span<const OpenedFile> files,
                      const Question& question,
                      std::span<const Edit> edits,
                      const Workbench& bench);

}  // namespace fabricast
