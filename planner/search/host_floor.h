#pragma once
#include "planner/search/candidate_scenarios.h"
#include "planner/search/search_space.h"

namespace fabricast {

/// Whether every layout leaves more to the nodes' memory than any node surely has, where nobody
/// knows how much they have: then none is surer than another.
bool allNeedUnknownHost(const SearchTask& task,
                        const SearchSpace& space,
                        CandidateScenarios& scenarios);

}  // namespace fabricast
