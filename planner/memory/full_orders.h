#pragma once
#include "planner/memory/program/ordered_stages.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Of orders with as much in flight, whose chunks all run the same layers and own what they hand
/// over: places of those of which one takes the most memory, and that first of all that take it.
///     for (const std::size_t place : fullestOrders(orders)) { … }
std::vector<std::size_t> fullestOrders(const std::vector<PipelineOrder>& orders);

}  // namespace fabricast
