#pragma once
#include "study/changes.h"
#include "study/question.h"

#include <vector>

namespace fabricast {

/// What a question says otherwise than it did before, as changes that undo it: each key alone, the
/// counts of ranks together, and last everything where that is more than one of them.
std::vector<Change> undoneChanges(const Question& now, const Question& before);

}  // namespace fabricast
