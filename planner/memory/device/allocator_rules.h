#pragma once
#include "planner/spec/settings.h"

#include <cstdint>
#include <limits>

namespace fabricast {

/// What PYTORCH_ALLOC_CONF says.
struct AllocatorRules {
    AllocatorKind kind = AllocatorKind::Default;
    std::int64_t maxSplit = kUnlimited;  ///< bytes; blocks from here on are handed out whole
    std::int64_t divisions = 0;          ///< of a power of two, to which sizes are rounded up

    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
};
AllocatorRules allocatorRules(const Settings& settings);

}  // namespace fabricast
