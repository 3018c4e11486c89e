#pragma once
#include "planner/comm/comm_call.h"
#include "planner/estimate/comm_clock.h"
#include "planner/estimate/stage_time.h"
#include "planner/ops/op_list.h"
#include "planner/spec/settings.h"

#include <array>
#include <vector>

namespace fabricast {

/// What each rank of a group sends while it makes some of its calls, and how long they take alone.
/// Calls over several groups count as the group with the most bytes.
struct SentBytes {
    double bytes = 0.0;
    double seconds = 0.0;
    GroupKind group = GroupKind::DataContext;
    CommOp op = CommOp::AllGather;

    /// Bytes a second that leave a rank; 0 where nothing is sent.
    [[nodiscard]] double rate() const { return seconds > 0.0 ? bytes / seconds : 0.0; }
};

/// Of one microbatch of a chunk in one direction.
struct PassSent {
    SentBytes tensor;
    SentBytes context;
    SentBytes expert;
    SentBytes shard;  ///< gathers of parameters and reductions of gradients
};

/// Of one rank of a stage in a step.
struct StageSent {
    std::vector<std::array<PassSent, 2>> chunks;  ///< forward, backward
    SentBytes reduce;                             ///< once a step, as those below
    SentBytes gather;
    SentBytes handOver;  ///< of one activation
};

StageSent stageSent(const StageTime& stage, CommClock& clock);

/// What a product does with its weight beside multiplying by it: bytes that are moved, and kernels
/// that are launched for it.
struct WeightTraffic {
    double castBytes = 0.0;      ///< autocast's copy in the type that computes, once in each pass
    double gradientBytes = 0.0;  ///< after the product that makes the weight's gradient
    double castLaunches = 0.0;
    double gradientLaunches = 0.0;
    double dequantizations = 0.0;  ///< launches, in forward and again for the input's gradient
};

/// A gradient is added to Megatron's buffer, or cast back to the type in which autocast's weights
/// are stored; one of a stack of experts is put in zeros of the whole. What engines sum over
/// microbatches is in `keptWork`. bitsandbytes makes the whole matrix of a quantised weight for
/// its product, and again in backward.
WeightTraffic weightTraffic(const Settings& settings, const Op& op, const WeightUse& use);

}  // namespace fabricast
