#pragma once
#include "planner/launch/read_named.h"
#include "study/question.h"

namespace fabricast {

/// What reads the files that a question's launch file names: beside it or in the folders above, but
/// for those that were given together with it.
ReadNamed launchReader(const Folders& folders, const GivenFiles& given);

}  // namespace fabricast
