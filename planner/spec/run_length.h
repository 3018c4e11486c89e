#pragma once
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

/// How long a run is: in tokens, whatever the batch, or in samples or steps, as frameworks count
/// it, which are more tokens with a longer sequence or a larger batch.
///     RunLength{1000, RunLength::Unit::Step}.tokens(scenario.workload)
struct RunLength {
    enum class Unit : std::uint8_t { Token, Sample, Step };

    std::int64_t count = 0;
    Unit unit = Unit::Token;

    [[nodiscard]] Tokens tokens(const WorkloadSpec& workload) const {
        constexpr double kMost = 1e18;
        double tokens = static_cast<double>(count);
        if (unit == Unit::Token) {
            return Tokens(count);
        }
        tokens *= static_cast<double>(workload.sequence);
        if (unit == Unit::Step) {
            tokens *= static_cast<double>(workload.globalBatch);
        }
        return Tokens(static_cast<std::int64_t>(std::min(tokens, kMost)));
    }
};

}  // namespace fabricast
