#pragma once
#include "simulator/faults/step_clock.h"

#include <functional>
#include <optional>

namespace fabricast {

/// Something that stops the run.
struct Failure {
    Seconds after;  ///< the one before, of time in which the run could fail
    bool oneHost = false;
    bool hardware = false;  ///< a node is out
};
using NextFailure = std::function<Failure()>;

/// Failures at random, of the kinds that the plan has.
NextFailure randomFailures(const RunFailures& failures, std::uint64_t seed, std::uint64_t run);

/// Where the time of a run went; it all sums to `wall`.
struct RunTimes {
    Seconds wall;
    Seconds useful;    ///< the steps, as if all had gone well
    Seconds slower;    ///< that they took longer, by jitter and slow spells
    Seconds saving;    ///< stopped by checkpoints
    Seconds lost;      ///< steps whose work was not saved
    Seconds recovery;  ///< detection, restart, reading what was saved
    Seconds waiting;   ///< for a node
    std::int64_t failures = 0;

    [[nodiscard]] double goodput() const { return useful / wall; }
};

/// Plays a run from event to event: checkpoints, what storage has got, failures, nodes that come
/// back. A failure can come at any time, also in a restart, which then begins again; not while the
/// run waits for a node. It loses what was done since the last checkpoint that is complete, and
/// whatever is being written. Every checkpoint is at a whole number of steps, the last one at the
/// run's end. Empty when it was stopped, which is possible at any checkpoint.
std::optional<RunTimes> playRun(const RunPlan& plan,
                                StepClock& clock,
                                const NextFailure& nextFailure,
                                const std::function<bool()>& stopped = {});

}  // namespace fabricast
