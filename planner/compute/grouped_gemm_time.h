#pragma once
#include "planner/base/units.h"
#include "planner/compute/gemm_time.h"
#include "planner/compute/rate_state.h"
#include "planner/spec/kernel_profile.h"

#include <cstdint>

namespace fabricast {

enum class GroupedPass { Forward, InputGradient, WeightGradient };

/// The same matrix multiply of every expert that a GPU holds, over the rows sent to it.
///     groupedGemmTime(profile, {.experts = 16, .rowsPerExpert = 512, .inputs = 4096,
///                               .outputs = 3072}, {});
struct GroupedGemm {
    std::int64_t experts = 1;
    double rowsPerExpert = 0.0;  ///< mean
    std::int64_t inputs = 0;     ///< width of a row before, and after
    std::int64_t outputs = 0;
    GroupedPass pass = GroupedPass::Forward;
    GemmType type = GemmType::Bf16;
    bool accumulateFp32 = false;  ///< weight gradients into an fp32 buffer
    bool balanced = true;         ///< every expert has the mean; else as a router deals them
    bool perExpert = false;       ///< a multiply an expert on a few streams (Transformer Engine)

    [[nodiscard]] Flops flops() const;
};

/// The time of one pass over all experts; the profile must support the type.
Seconds groupedGemmTime(const KernelProfile& profile,
                        const GroupedGemm& group,
                        const RateState& state);

}  // namespace fabricast
