#pragma once
#include "planner/base/watch.h"
#include "study/search_request.h"

#include <string>
#include <vector>

namespace fabricast {

/// The plans of a search, as they are typed, or those that come nearest.
std::vector<std::string> typedPlans(const PlanReport& report);

/// Which of the user's own measurements decide what a search finds, though its numbers may not have
/// them: those without which it finds other plans than `found`. `known` are named already. As far
/// as the time of a few seconds goes; what is not looked at is said. Nothing where it is stopped.
Result<std::vector<std::string>> choosingMeasurements(SearchRequest request,
                                                      const std::vector<std::string>& found,
                                                      const std::vector<std::string>& known,
                                                      std::size_t most,
                                                      const Workbench& bench,
                                                      const Watch& watch);

}  // namespace fabricast
