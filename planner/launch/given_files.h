#pragma once
#include "planner/launch/opened_file.h"

#include <vector>

namespace fabricast {

/// Has a file read those that were given together with it, in the place of what it names:
/// DeepSpeed's JSON is what Axolotl's `deepspeed` names, Accelerate's YAML what a script's
/// `--config_file` does. What it did not name, or calls otherwise, is said in `taken`.
void takeGiven(const std::vector<NamedText>& given, OpenedFile& file);

}  // namespace fabricast
