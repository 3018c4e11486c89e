#include "planner/estimate/segment_time.h"

#include "planner/estimate/group_time.h"

namespace fabricast {

WorkSeconds& WorkSeconds::operator+=(const WorkSeconds& other) {
    gemm += other.gemm;
    attention += other.attention;
    memory += other.memory;
    return *this;
}

WorkSeconds operator*(WorkSeconds work, double factor) {
    return {work.gemm * factor, work.attention * factor, work.memory * factor};
}

PassTime& PassTime::operator+=(const PassTime& other) {
    device += other.device;
    launches += other.launches;
    experts += other.experts;
    return *this;
}

namespace {

/// Whether a checkpoint's second forward runs this op.
bool runsAgain(Checkpointing checkpoint, const Op& op) {
    switch (checkpoint) {
        case Checkpointing::Full:
        case Checkpointing::Block:
            return true;
        case Checkpointing::Selective:
            return !op.keptBySelective;
        case Checkpointing::None:
        case Checkpointing::Modules:
            break;
    }
    return op.block >= 0;
}

}  // namespace

SegmentTime segmentTime(const Scenario& scenario,
                        const OpList& list,
                        const SegmentSetting& setting,
                        const KernelProfile& kernels) {
    const GroupClock clock(scenario, list, setting, kernels);
    SegmentTime total;
    for (const FusedGroup& group : fusedGroups(list, scenario.settings.kernels.compile)) {
        const SegmentTime time = clock.timeOf(group);
        total.forward += time.forward;
        total.input += time.input;
        total.weight += time.weight;
        if (runsAgain(setting.checkpoint, list.ops[group.begin])) {
            total.recompute += time.forward;
        }
    }
    for (const WeightUse& weight : list.weights) {
        if (weight.trained && !weight.tied) {
            (weight.expert ? total.trainedExperts : total.trained) +=
                static_cast<double>(weight.elements);
        }
    }
    return total;
}

}  // namespace fabricast
