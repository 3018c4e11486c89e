#pragma once
#include "planner/memory/program/pipeline_order.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// For each action of a rank, the forwards and backwards whose input is asked for just before it.
using ReceiveOrder = std::vector<std::vector<PipelineAction>>;

/// torch's pipeline runtime posts a receive as soon as the sender's turn has come, however long
/// before its own. `orders`: all ranks' actions under an interleaved schedule.
ReceiveOrder receiveOrder(const Layout& layout,
                          const std::vector<PipelineOrder>& orders,
                          std::int64_t rank);

}  // namespace fabricast
