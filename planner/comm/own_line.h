#pragma once
#include "planner/comm/collective_time.h"
#include "planner/spec/machine_factors.h"

namespace fabricast {

/// What a machine's own runs say about its collectives, over what profiles and measurements give:
/// of the time that the smallest takes, and of what bytes add to it.
struct OwnLine {
    double latency = 1.0;
    double perByte = 1.0;
};

/// Groups inside a node have its factors, groups over several nodes those of the network. Where
/// all send to all, `dispatch` comes on top.
inline OwnLine ownLine(CollectiveKind kind, const GroupShape& shape, const MachineFactors& own) {
    const bool far = shape.nodes > 1;
    const double latency = own.of(far ? MachineFactor::NetworkLatency : MachineFactor::NodeLatency);
    const double rate = own.of(far ? MachineFactor::Network : MachineFactor::Node);
    const double dispatch =
        kind == CollectiveKind::AllToAll ? own.of(MachineFactor::Dispatch) : 1.0;
    return {.latency = 1.0 / latency, .perByte = 1.0 / (rate * dispatch)};
}

}  // namespace fabricast
