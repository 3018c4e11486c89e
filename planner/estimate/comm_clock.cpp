#include "planner/estimate/comm_clock.h"

#include <algorithm>

namespace fabricast {

CollectiveKind collectiveKind(CommOp op) {
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

const GroupShape& CommClock::shape(GroupKind group) {
    const auto found = shapes_.find(group);
    if (found != shapes_.end()) {
        return found->second;
    }
    return shapes_.emplace(group, groupShape(scenario_.layout, order_, group, links_))
        .first->second;
}

/// Where a row goes to several experts of one node it is sent there once: of the copies that a
/// router makes, how many nodes are hit. Nodes · (1 - the odds that all choices miss one).
double CommClock::nodeShare(const CommCall& call, const GroupShape& where) const {
    const bool once = scenario_.settings.kernels.dispatchOncePerNode;
    if (!once || call.use != CommUse::Dispatch || where.nodes <= 1 || !scenario_.model.moe) {
        return 1.0;
    }
    const auto experts = static_cast<double>(scenario_.model.moe->experts);
    const auto chosen = static_cast<double>(scenario_.model.moe->topK);
    const auto nodes = static_cast<double>(where.nodes);
    double missed = 1.0;
    for (double i = 0.0; i < chosen; i += 1.0) {
        missed *= std::max(0.0, (experts - experts / nodes - i) / (experts - i));
    }
    return std::min(1.0, nodes * (1.0 - missed) / chosen);
}

double CommClock::seconds(const CommCall& call) {
    const GroupShape& where = shape(call.group);
    if (where.ranks <= 1 || call.elements <= 0) {
        return 0.0;
    }
    const double bytes = static_cast<double>(call.bytes()) * nodeShare(call, where);
    return curves_.of(collectiveKind(call.op), where)
        .seconds(Bytes(static_cast<std::int64_t>(bytes)))
        .count();
}

}  // namespace fabricast
