#include "planner/search/batch_steps.h"
#include "planner/search/candidate_scenarios.h"
#include "planner/search/find_on_parts.h"
#include "planner/spec/size_limits.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// Whether a stack takes a layout of the family, by the first micro-batch of each order and way to
/// recompute.
bool isTaken(const SearchSpace& space, std::uint32_t family, CandidateScenarios& scenarios) {
    std::set<std::pair<std::uint16_t, std::uint16_t>> seen;
    return std::ranges::any_of(space.candidatesOf(family), [&](const Candidate& candidate) {
        return seen.emplace(candidate.way, candidate.recompute).second &&
               scenarios.allowed(candidate).has_value();
    });
}

/// Whether the stacks take any layout.
Result<bool> takesSome(const SearchTask& task, const Watch& watch) {
    FABRICAST_ASSIGN(const SearchSpace space, enumerateLayouts(task, watch));
    CandidateScenarios scenarios(task, space);
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        if (isTaken(space, family, scenarios)) {
            return true;
        }
    }
    return false;
}

/// Whether a batch is taken that shares no other factor with the GPUs.
Result<bool> takesMultiples(SearchTask task, std::int64_t step, const Watch& watch) {
    const std::int64_t gpus = task.base.cluster.gpus();
    std::int64_t times = task.base.workload.globalBatch / step + 1;
    while (std::gcd(times, gpus) != 1) {
        ++times;
    }
    task.base.workload.globalBatch = times * step;
    return takesSome(task, watch);
}

/// The most GPUs that may be used alone and have a layout that is taken.
Result<std::optional<std::int64_t>> mostGpus(const SearchTask& task, const Watch& watch) {
    for (const ClusterSpec& part : partsOf(task.base.cluster, task.base.workload.globalBatch)) {
        SearchTask smaller = task;
        smaller.base.cluster = part;
        FABRICAST_ASSIGN(const bool takes, takesSome(smaller, watch));
        if (takes) {
            return std::optional(part.gpus());
        }
    }
    return std::optional<std::int64_t>();
}

}  // namespace

Result<std::optional<std::int64_t>> batchStep(const SearchTask& task, const Watch& watch) {
    const std::int64_t gpus = task.base.cluster.gpus();
    const std::int64_t batch = task.base.workload.globalBatch;
    for (std::int64_t step = 2; step <= gpus; ++step) {
        if (gpus % step != 0 || batch % step == 0) {
            continue;
        }
        FABRICAST_ASSIGN(const bool takes, takesMultiples(task, step, watch));
        if (takes) {
            return std::optional(step);
        }
    }
    return std::optional<std::int64_t>();
}

Result<std::string> otherBatch(const SearchTask& task, const Watch& watch) {
    FABRICAST_ASSIGN(const std::optional<std::int64_t> step, batchStep(task, watch));
    if (!step) {
        return std::string();
    }
    const std::string batches = multiplesAround(task.base.workload.globalBatch, *step);
    FABRICAST_ASSIGN(const std::optional<std::int64_t> gpus, mostGpus(task, watch));
    const std::string fewer = gpus ? std::to_string(*gpus) + " of the " +
                                         std::to_string(task.base.cluster.gpus()) + " GPUs"
                                   : std::string();
    return batches.empty()
               ? fewer
               : "a global batch of " + batches + (fewer.empty() ? "" : ", or " + fewer);
}

}  // namespace fabricast
