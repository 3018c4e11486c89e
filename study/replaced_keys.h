#pragma once
#include "planner/spec/edit.h"

#include <string_view>

namespace fabricast {

/// Whether an edit takes the place of what is said at a path: it says another value of this key, or
/// the same thing by another key, or takes away what this key is a part of. A list has every value.
///     isReplaced("cluster.gpus", {"cluster.nodes", "4", "-n"})        →  true
///     isReplaced("layout.tp", {"layout", "null", "--set"})            →  true
///     isReplaced("workload.sequence", {"cluster.nodes", "4", "-n"})   →  false
bool isReplaced(std::string_view path, const Edit& by);

}  // namespace fabricast
