#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size_catalogue.h"
#include "study/size_limit.h"
#include "study/workbench.h"

#include <span>
#include <vector>

namespace fabricast {

/// Why nothing fits on any kind of node of a catalogue: what its largest number of nodes is short
/// of, in the layout that comes nearest, or what is not modelled.
Result<std::vector<SizeMisfit>> sizeMisfits(std::span<const Question> jobs,
                                            const SizeCatalogue& catalogue,
                                            const Workbench& bench,
                                            const Watch& watch,
                                            SizeWork& work);

}  // namespace fabricast
