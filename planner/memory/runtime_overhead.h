#pragma once
#include "planner/base/units.h"
#include "planner/result/evidence.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Device memory that no allocator counter shows: the CUDA context with its loaded kernels, and the
/// buffers that NCCL holds for every communicator the layout needs. Its sizes are the GPU's
/// profile.
struct RuntimeOverhead {
    Headline<Bytes> context;
    Headline<Bytes> collectives;
    std::int64_t communicators = 0;
    std::string contextOrigin;  ///< where these numbers are from, in a line
    std::string collectivesOrigin;

    /// Whether any of it is an assumption.
    [[nodiscard]] bool isAssumed() const {
        return context.evidence != Evidence::MeasuredProfile ||
               (communicators > 0 && collectives.evidence != Evidence::MeasuredProfile);
    }
};
RuntimeOverhead runtimeOverhead(const Scenario& scenario);

/// All of it together, for a search.
struct RuntimeBytes {
    Bytes least;
    Bytes expected;
};
RuntimeBytes runtimeBytes(const Scenario& scenario);

/// At the least that any framework takes, for many layouts on one GPU.
Bytes leastRuntimeBytes(const RuntimeMemory& runtime, const Layout& layout);

}  // namespace fabricast
