#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size_catalogue.h"
#include "study/size_search.h"
#include "study/workbench.h"

#include <span>
#include <vector>

namespace fabricast {

/// The kinds of node that were named and have no cluster among the best, each with the best that it
/// has and the reason. They are searched to their end, as a bound alone gives no numbers.
Result<std::vector<SizeBeaten>> sizeBeaten(std::span<const Question> jobs,
                                           const SizeAsk& ask,
                                           const SizeCatalogue& catalogue,
                                           const Workbench& bench,
                                           const Watch& watch,
                                           SizeSearch& search);

}  // namespace fabricast
