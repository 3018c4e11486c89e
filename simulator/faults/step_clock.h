#pragma once
#include "simulator/faults/random_stream.h"
#include "simulator/faults/run_plan.h"

namespace fabricast {

/// This says how long the next steps of one run take. With jitter each step is as long as its
/// slowest rank makes it: the largest of so many normal numbers, drawn at once (largestOfNormals),
/// for each group, and the longest of the groups. In a slow spell all of it takes longer. Spells
/// come and go while steps run.
class StepClock {
public:
    StepClock(const RunPlan& plan, std::uint64_t seed, std::uint64_t run);

    /// How long so many steps take from here on.
    Seconds take(std::int64_t steps);

private:
    [[nodiscard]] double jittered();
    /// The time that work takes which would take `work` seconds outside of spells.
    [[nodiscard]] double throughSpells(double work);

    const RunPlan& plan_;
    RandomStream jitter_;
    RandomStream spells_;
    bool slow_ = false;
    double left_ = 0.0;  ///< of this spell, or until the next one
};

}  // namespace fabricast
