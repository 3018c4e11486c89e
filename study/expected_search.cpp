#include "study/expected_search.h"

#include "planner/search/search_space.h"
#include "study/search_request.h"

#include <cstdint>

namespace fabricast {
namespace {

/// To load the question, and to refuse what nothing takes.
constexpr double kLeast = 0.01;
/// Dense models in a row of searches need one, those with experts up to four.
constexpr double kOfLayout = 2.5e-6;

}  // namespace

double expectedSearch(const Question& question, const Workbench& bench) {
    const Result<SearchRequest> request = searchRequest(question, bench);
    if (!request) {
        return kLeast;
    }
    const Result<SearchSpace> space = enumerateLayouts(request->task);
    if (!space) {
        return kLeast;
    }
    std::int64_t layouts = 0;
    for (std::uint32_t family = 0; family < space->families.size(); ++family) {
        layouts += space->count(family);
    }
    return kLeast + kOfLayout * static_cast<double>(layouts);
}

}  // namespace fabricast
