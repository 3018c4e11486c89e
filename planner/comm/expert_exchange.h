#pragma once
#include "planner/comm/stage_view.h"

#include <optional>

namespace fabricast {

/// What the ranks of an expert group tell each other before rows are sent: how many there are.
struct RoutingCall {
    CommOp op = CommOp::AllToAll;
    WireType type = WireType::Int64;
    std::int64_t elements = 1;
};

/// These are the calls of expert layers whose rows go to the experts' ranks and come back, in
/// forward, in recomputation and in backward: `rows` elements each way, after `routing`, if any.
Calls expertExchange(const StageView& view,
                     const ChunkView& chunk,
                     const std::optional<RoutingCall>& routing,
                     std::int64_t rows);

}  // namespace fabricast
