#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A GPU or a link that takes `factor` times as long: always, or for `last` every so often.
struct Straggler {
    double factor = 1.0;
    std::optional<std::size_t> stage;  ///< of a GPU; empty: the busiest
    std::string link;                  ///< empty: it is a GPU
    std::optional<Seconds> every;
    Seconds last;
};

/// "1.3", "1.3@stage0,1.1@stage2", "1.5@stage0/1h/5min", "2@node0/nic2-leaf4". At most one
/// comes and goes.
Result<std::vector<Straggler>> stragglersOf(const std::string& typed);

}  // namespace fabricast
