#pragma once
#include "gui/charts/memory_bars.h"
#include "planner/report/table.h"
#include "planner/result/memory_breakdown.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// The stages of A as bars, those of B behind them; `other` may be null.
MemoryBarValues memoryBars(const MemoryBreakdown& memory, const MemoryBreakdown* other);

/// A row per part of the fullest stage, with its formula, and what B has of it.
struct MemoryParts {
    Table table;
    std::vector<std::string> why;  ///< the key of each row's formula; empty: none
};
MemoryParts memoryParts(const MemoryBreakdown& memory, const MemoryBreakdown* other);

/// "stage 0 needs most: 66.4 of 79.2 GiB, at the loss".
std::string memoryHeadline(const MemoryBreakdown& memory);

/// The key behind a part of `memoryBars`, of a stage.
std::string memoryPartKey(const MemoryBarValues& values, std::size_t stage, std::size_t part);

}  // namespace fabricast
