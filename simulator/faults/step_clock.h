#pragma once
#include "simulator/faults/jitter_draw.h"
#include "simulator/faults/random_draws.h"
#include "simulator/faults/run_plan.h"

namespace fabricast {

/// Gives the duration of the next steps of one run. With jitter each step is as long as its
/// slowest rank makes it, which is drawn at once. In a slow spell all of it takes longer. Spells
/// come and go while steps run.
class StepClock {
public:
    /// `draw` is of the plan's jitter: the same for all of its runs, which outlives them.
    StepClock(const RunPlan& plan, const JitterDraw& draw, std::uint64_t seed, std::uint64_t run);

    /// The duration of a number of steps from here on.
    Seconds take(std::int64_t steps);

private:
    /// The time that work takes which would take `work` seconds outside of spells.
    [[nodiscard]] double throughSpells(double work);

    const RunPlan& plan_;
    const JitterDraw& draw_;
    RandomStream jitter_;
    RandomStream spells_;
    bool slow_ = false;
    double left_ = 0.0;  ///< of this spell, or until the next one
};

}  // namespace fabricast
