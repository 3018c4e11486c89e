#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fabricast {

/// Why a stack takes no layout: `why`, which is what it refused first, unless it would take one if
/// the global batch were divided by every dp. Then the batch is to blame, and not what is left.
Result<std::string> reasonWithBatch(const SearchTask& task,
                                    std::uint32_t stack,
                                    std::string why,
                                    const Watch& watch);

/// Whether the stacks take any layout.
Result<bool> takesAny(const SearchTask& task, const Watch& watch = {});

/// Where the stacks take no layout only because of the global batch: the samples that a batch has
/// to be a multiple of. Nothing where another batch would not help either.
///     FABRICAST_ASSIGN(const auto step, batchStep(task, watch));  // 8 of 30 samples on 8 GPUs
Result<std::optional<std::int64_t>> batchStep(const SearchTask& task, const Watch& watch = {});

/// The same in words, and how many of the GPUs the batch would do for: "a global batch of 15 or 18,
/// or 2 of the 3 GPUs". Empty where another batch would not help.
Result<std::string> otherBatch(const SearchTask& task, const Watch& watch = {});

}  // namespace fabricast
