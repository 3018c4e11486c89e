#pragma once
#include "cli/global_options.h"
#include "planner/comm/collective_time.h"
#include "planner/io/nccl_estimates.h"
#include "planner/io/profile_store.h"

#include <string>
#include <vector>

namespace fabricast {

/// What NCCL believes of a collective beside what the forecast's model of NCCL does, and what the
/// forecast takes after all.
struct ComparedEstimate {
    NcclEstimate nccl;
    CollectiveTime model;     ///< NCCL's own cost model, as it is rebuilt here
    CollectiveTime forecast;  ///< corrected by what was measured

    [[nodiscard]] bool sameChoice() const;
    /// Of the model's time, beside NCCL's: 0.1 is 10 % longer.
    [[nodiscard]] double off() const;
};

struct NcclComparison {
    std::string machine;  ///< a cluster or node profile
    std::string version;  ///< of the NCCL that was asked; may be empty
    std::string model;    ///< "nccl-2-30"
    std::vector<ComparedEstimate> rows;
    std::vector<std::string> leftOut;

    [[nodiscard]] std::size_t sameChoices() const;
    [[nodiscard]] double medianOff() const;  ///< of |off|; 0 of none
};

/// Compares dumps, call by call, on a machine of the profiles. Left out, and said: calls sent
/// together, and groups that do not lie on that machine as NCCL says they do.
Result<NcclComparison> compareNccl(const ProfileStore& store,
                                   const std::string& machine,
                                   NcclEstimates dump);

std::string ncclComparisonText(const NcclComparison& comparison);
/// "fabricast.nccl_comparison/1".
std::string ncclComparisonJson(const NcclComparison& comparison);

}  // namespace fabricast
