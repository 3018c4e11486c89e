#pragma once
#include "planner/comm/collective_time.h"
#include "planner/measured/nccl_estimates.h"
#include "planner/profiles/profile_store.h"

#include <string>
#include <vector>

namespace fabricast {

/// NCCL's own estimate of a collective, the estimate of our model of NCCL, and the time that
/// forecasts use.
struct ComparedEstimate {
    NcclEstimate nccl;
    CollectiveTime model;     ///< NCCL's cost model as implemented here
    CollectiveTime forecast;  ///< the model corrected by measurements

    [[nodiscard]] bool sameChoice() const;
    /// The model's time relative to NCCL's: 0.1 is 10 % longer.
    [[nodiscard]] double off() const;
};

struct NcclComparison {
    std::string machine;  ///< a cluster or node profile
    std::string version;  ///< of NCCL; may be empty
    std::string model;    ///< "nccl-2-30"
    std::vector<ComparedEstimate> rows;
    std::vector<std::string> skipped;

    [[nodiscard]] std::size_t sameChoices() const;
    [[nodiscard]] double medianOff() const;  ///< of |off|; 0 without rows
};

/// Compares estimates, call by call, on a machine of the profiles. Skipped, and reported as such:
/// calls sent together, and groups that do not match that machine.
Result<NcclComparison> compareNccl(const ProfileStore& store,
                                   const std::string& machine,
                                   NcclEstimates dump);

/// The same for dump files of NCCL's tuner.
Result<NcclComparison> compareNcclDumps(const ProfileStore& store,
                                        const std::string& machine,
                                        const std::vector<std::string>& dumps);

std::string ncclComparisonText(const NcclComparison& comparison);
/// "fabricast.nccl_comparison/1".
std::string ncclComparisonJson(const NcclComparison& comparison);

}  // namespace fabricast
