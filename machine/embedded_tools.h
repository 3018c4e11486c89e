#pragma once
#include "planner/profiles/profile_list.h"

#include <span>

namespace fabricast {

/// The Python programs by which frameworks read launch files, under their paths within the
/// repository: "tools/check_emitted.py". The build writes the source of this function.
std::span<const EmbeddedFile> embeddedTools();

}  // namespace fabricast
