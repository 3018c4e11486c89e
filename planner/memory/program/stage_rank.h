#pragma once
#include <cstdint>

namespace fabricast {

/// Which rank is asked about. `rank` is its place among the ranks that share the stage's
/// parameters, `expertRank` among those that share its experts: they matter only where shards are
/// unequal.
struct StageRank {
    std::int64_t stage = 0;
    std::int64_t rank = 0;
    std::int64_t expertRank = 0;
};

}  // namespace fabricast
