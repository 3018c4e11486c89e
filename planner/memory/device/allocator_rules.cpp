#include "planner/memory/device/replay.h"

namespace fabricast {

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

}  // namespace

AllocatorRules allocatorRules(const Settings& settings) {
    return {.kind = settings.allocator,
            .maxSplit =
                settings.maxSplitMb > 0 ? settings.maxSplitMb * kMebi : AllocatorRules::kUnlimited,
            .divisions = settings.roundupDivisions};
}

}  // namespace fabricast
