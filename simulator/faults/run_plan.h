#pragma once
#include "planner/base/units.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace fabricast {

/// Ranks of which the slowest one of a step decides how long it takes: the step is longer by
/// `spread` times the largest of a number of standard normal numbers.
struct JitterGroup {
    double ranks = 1.0;
    Seconds spread;
};

/// Something that is slow for a while, again and again: both times are exponential.
struct SlowSpells {
    Seconds every;        ///< from one to the next, on average
    Seconds last;         ///< and the time it is slow
    double factor = 1.0;  ///< by which a step then takes longer
};

/// When a run saves, and when what it saved can be gone back to.
struct RunSaving {
    std::int64_t every = 1;        ///< steps from one to the next
    Seconds blocking;              ///< that each stops the run
    std::int64_t storedEvery = 1;  ///< of them, as many for each that goes to storage
    Seconds lag;                   ///< from its end until storage has it
    bool inMemory = false;         ///< other hosts keep each of them as well
};

/// What stops a run, and the time to resume.
struct RunFailures {
    Seconds mtbf{std::numeric_limits<double>::infinity()};  ///< of the whole job
    double oneHostShare = 0.0;   ///< that copies in other hosts' memory are enough for
    double hardwareShare = 0.0;  ///< that take a node out
    Seconds detection;
    Seconds restart;
    Seconds load;  ///< to read what storage has
    Seconds repair;
    /// Spare nodes; empty: unlimited.
    std::optional<std::int64_t> spares;
};

/// A run: a number of steps, and its failures.
struct RunPlan {
    std::int64_t steps = 1;
    Seconds step;  ///< of each, when all goes well
    std::vector<JitterGroup> jitter;
    std::optional<SlowSpells> spells;
    RunSaving saving;
    RunFailures failures;

    [[nodiscard]] Seconds useful() const { return static_cast<double>(steps) * step; }
};

/// The share of useful work by the closed form for the plan's own intervals, for steps that
/// take `step` on average: planner/budget/goodput.h, with its cycles. A
/// spare is always there.
double closedGoodput(const RunPlan& plan, Seconds step);

}  // namespace fabricast
