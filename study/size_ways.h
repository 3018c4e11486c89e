#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size_ask.h"
#include "study/size_limit.h"
#include "study/workbench.h"

#include <span>
#include <vector>

namespace fabricast {

/// What reaches targets that no cluster of the ask does: more of the same nodes, and other boxes in
/// the same numbers; of each the best by the aim. None where neither does.
Result<std::vector<SizeWay>> sizeWays(std::span<const Question> jobs,
                                      const SizeAsk& ask,
                                      const Workbench& bench,
                                      const Watch& watch,
                                      SizeWork& work);

}  // namespace fabricast
