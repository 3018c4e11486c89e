#pragma once
#include "planner/estimate/estimate_step.h"
#include "simulator/faults/run_plan.h"
#include "simulator/program/step_program.h"

#include <vector>

namespace fabricast {

/// This draws by how much the slowest of all ranks makes a step longer: the largest over the groups
/// of spread times the largest of a number of standard normal numbers. A step is longer by at most
/// x with the probability
///     F(x) = product over the groups of Φ(x / spread)^ranks
/// which is inverted once, at the points of a table over v = −ln(−ln F), in which x is almost a
/// straight line; between the points a draw is off by less than 1e-4 of the largest spread.
///     const JitterDraw draw(plan.jitter);
///     const double longer = draw.seconds(random.uniform());
class JitterDraw {
public:
    explicit JitterDraw(const std::vector<JitterGroup>& groups);

    [[nodiscard]] bool none() const { return points_.empty(); }
    [[nodiscard]] double seconds(double u) const;

private:
    std::vector<double> points_;
};

/// How the kernels of every rank vary from step to step: in each, a rank's take 1 + sigma z times
/// as long, z a standard normal number of its own. A step has one barrier for it, at its end: its
/// data-parallel replicas wait for each other there, and inside a pass ranks wait for the slowest
/// of their peers anyhow. So of a stage the slowest of all its ranks counts (tp · cp · dp of them),
/// for what one such GPU in the stage makes the simulated step longer; and of the stages the one
/// that does so most:
///     spread = (step with a GPU of 1 + sigma z there − step) / z     z: what u = Φ(1) draws
/// In a stage that has a straggler it is the straggler's own jitter. Stages that differ in nothing
/// are one group of all their ranks.
///     FABRICAST_ASSIGN(plan.jitter, jitterGroups(scenario, timing, detail, 0.01));
Result<std::vector<JitterGroup>> jitterGroups(const Scenario& scenario,
                                              const TimingProfiles& profiles,
                                              const StepDetail& detail,
                                              double sigma);

}  // namespace fabricast
