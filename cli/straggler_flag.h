#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A GPU that takes `factor` times as long: always, or for `last` every so often.
struct Straggler {
    double factor = 1.0;
    std::optional<std::size_t> stage;  ///< empty: the busiest
    std::optional<Seconds> every;
    Seconds last;
};

/// "1.3", "1.3@stage0,1.1@stage2", "1.5@stage0/1h/5min". At most one comes and goes.
Result<std::vector<Straggler>> stragglersOf(const std::string& typed);

}  // namespace fabricast
