#pragma once
#include "simulator/faults/run_plan.h"

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

}  // namespace fabricast
