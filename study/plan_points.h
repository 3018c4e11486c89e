#pragma once
#include "study/question.h"
#include "study/sweep.h"

namespace fabricast {

/// The best plan of a question with the values of each point: "fabricast.sweep/1".
SweepWork planPoints(const Question& question);

}  // namespace fabricast
