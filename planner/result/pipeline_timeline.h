#pragma once
#include "planner/result/stage_action.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// One action of a rank, from when to when, in ticks; both halves of an atomic pair have the same.
struct TimedAction {
    StageAction action;
    std::int64_t start = 0;
    std::int64_t end = 0;
};

struct RankTimeline {
    std::vector<TimedAction> actions;
    std::string text;       ///< the actions' names: "0F0 0F1 0F2&1B0"
    std::int64_t busy = 0;  ///< ticks
    std::int64_t end = 0;
    std::int64_t inFlightPeak = 0;    ///< stage-microbatches whose activations are kept
    std::int64_t untilInput = 0;      ///< of them, those that wait for their input gradient
    std::int64_t pendingWeights = 0;  ///< the most weight gradients that wait
};

/// When every rank of a pipeline does what, counted in ticks: 10^-decimals of whatever unit the
/// durations were typed in.
struct PipelineTimeline {
    std::string schedule;   ///< "1f1b"
    std::string framework;  ///< "megatron", or "paper"
    std::int64_t chunks = 1;
    std::int64_t microBatches = 1;
    std::int64_t group = 0;  ///< interleaved: microbatches per group
    int decimals = 0;
    std::int64_t handOver = 0;
    bool receiveBlocks = false;
    std::int64_t makespan = 0;
    std::vector<RankTimeline> ranks;
    std::vector<std::int64_t> slack;  ///< of each stage: from its last gradient to the makespan

    /// The part of all ranks' time in which they wait.
    [[nodiscard]] double bubble() const {
        double busy = 0;
        for (const RankTimeline& rank : ranks) {
            busy += static_cast<double>(rank.busy);
        }
        const double whole = static_cast<double>(makespan) * static_cast<double>(ranks.size());
        return whole > 0 ? 1 - busy / whole : 0;
    }
    [[nodiscard]] double bubbleOf(const RankTimeline& rank) const {
        return makespan > 0 ? 1 - static_cast<double>(rank.busy) / static_cast<double>(makespan)
                            : 0;
    }
};

}  // namespace fabricast
