#pragma once
#include "planner/comm/comm_call.h"
#include "planner/spec/collective_kind.h"

namespace fabricast {

/// What the library runs for an operator of a framework: for the time of a CommCall.
constexpr CollectiveKind collectiveOf(CommOp op) {
    switch (op) {
        case CommOp::AllReduce:
        case CommOp::AllReduceCoalesced:
            return CollectiveKind::AllReduce;
        case CommOp::AllGather:
        case CommOp::AllGatherCoalesced:
        case CommOp::AllGatherList:
            return CollectiveKind::AllGather;
        case CommOp::ReduceScatter:
        case CommOp::ReduceScatterCoalesced:
        case CommOp::ReduceScatterList:
            return CollectiveKind::ReduceScatter;
        case CommOp::AllToAll:
        case CommOp::AllToAllList:
            return CollectiveKind::AllToAll;
        case CommOp::Reduce:
            return CollectiveKind::Reduce;
        case CommOp::Broadcast:
            return CollectiveKind::Broadcast;
        case CommOp::Send:
        case CommOp::Recv:
            return CollectiveKind::SendReceive;
    }
    return CollectiveKind::AllReduce;
}

}  // namespace fabricast
