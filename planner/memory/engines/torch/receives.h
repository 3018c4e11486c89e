#pragma once
#include "planner/memory/program/ordered_stages.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"

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

/// What fully_shard needs to know of a rank.
struct Fsdp2Options {
    std::int64_t shards = 1;        ///< ranks that share one copy
    std::int64_t expertShards = 1;  ///< the same for expert weights
    std::int64_t storedWidth = 4;   ///< bytes of a sharded parameter element
    std::int64_t computeWidth = 2;  ///< bytes of a gathered one
    std::int64_t reduceWidth = 4;   ///< bytes of a gradient element on the wire
    bool syncEachMicroStep = true;  ///< false: set_requires_gradient_sync(False) until the last
    int rootUnit = -1;              ///< unit of the root module that wraps the others; -1: none
    bool tiesOneParameter = false;  ///< a tied table is one parameter, else one for each use
    bool cutsExpertRows = false;    ///< stacks of experts are cut along their rows
    int keptUnit = -1;              ///< unit that is not resharded after forward; -1: none
    bool reshardAfterForward = true;
    bool reshardAfterBackward = true;
    bool reduceAtEnd = false;  ///< pipelines: one reduce-scatter per unit after the last backward
    std::int64_t masterWidth = 0;  ///< bytes of a separate master copy of an element; 0: none
    bool offload = false;          ///< CPUOffloadPolicy: shards, gradients and states on the host
    OptimizerSettings optimizer{};
};

}  // namespace fabricast
