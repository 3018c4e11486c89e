#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// Why a stack takes no layout: `why`, which is what it refused first, unless it would take one if
/// the global batch were divided by every dp. Then the batch is to blame, and not what is left.
Result<std::string> reasonWithBatch(const SearchTask& task,
                                    std::uint32_t stack,
                                    std::string why,
                                    const Watch& watch);

}  // namespace fabricast
