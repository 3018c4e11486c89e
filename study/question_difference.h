#pragma once
#include "planner/spec/edit.h"
#include "study/question.h"

#include <vector>

namespace fabricast {

/// The edits that make `to` of `from`, key by key, as flags type them where one does: what is to be
/// typed behind a file that says `from`. Lists are edited whole.
///     editsBetween(saved, changed)  →  {{"cluster.nodes", "4", "-n"}}
std::vector<Edit> editsBetween(const Question& from, const Question& to);

}  // namespace fabricast
