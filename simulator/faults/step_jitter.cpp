#include "planner/estimate/step_estimator.h"
#include "simulator/engine/simulate.h"
#include "simulator/faults/jitter_draw.h"
#include "simulator/faults/random_draws.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// Beyond it a rank could take next to no time.
constexpr double kMostJitter = 0.2;
/// One standard deviation up.
constexpr double kUsualDraw = 0.8413447460685429;

class StepSpreads {
public:
    StepSpreads(const Scenario& scenario, const StepPieces& pieces, StepDetail detail)
        : scenario_(scenario), pieces_(pieces), detail_(std::move(detail)) {
        detail_.ranks = Ranks::Classes;
        detail_.links = Links::Unlimited;  // what two steps differ by is kernels
    }

    Result<void> begin() {
        FABRICAST_ASSIGN(even_, stepWith(0, 1.0));
        return {};
    }

    /// The step where the stage's slowest GPU takes this much longer.
    Result<Seconds> stepWith(std::size_t stage, double factor) {
        StepDetail slower = detail_;
        double slowest = 1.0;
        for (const SlowGpu& gpu : detail_.slow) {
            slowest = gpu.stage == stage ? std::max(slowest, gpu.factor) : slowest;
        }
        slower.slow.push_back({stage, slowest * factor});
        FABRICAST_ASSIGN(const StepProgram step, stepProgram(scenario_, pieces_, slower));
        FABRICAST_ASSIGN(const SimRun run, simulate(step.program));
        return seconds(run.makespan);
    }

    Result<JitterGroup> groupOf(std::size_t stage, double sigma) {
        const Layout& layout = scenario_.layout;
        const bool straggles = std::ranges::any_of(
            detail_.slow, [stage](const SlowGpu& gpu) { return gpu.stage == stage; });
        const double ranks =
            straggles ? 1.0 : static_cast<double>(layout.tp * layout.cp * layout.dp);
        const double usual = largestOfNormals(ranks, kUsualDraw);
        FABRICAST_ASSIGN(const Seconds slower, stepWith(stage, 1.0 + sigma * usual));
        return JitterGroup{.ranks = ranks, .spread = Seconds((slower - even_).count() / usual)};
    }

private:
    const Scenario& scenario_;
    const StepPieces& pieces_;
    StepDetail detail_;
    Seconds even_;  ///< the step without
};

/// Whether stages are as sensitive, to what rounding to picoseconds leaves.
bool alike(Seconds a, Seconds b) {
    return std::abs((a - b).count()) <= 1e-6 * std::max(a, b).count();
}

}  // namespace

Result<std::vector<JitterGroup>> jitterGroups(const Scenario& scenario,
                                              const TimingProfiles& profiles,
                                              const StepDetail& detail,
                                              double sigma) {
    if (!(sigma > 0.0 && sigma <= kMostJitter)) {
        return fail(Error::Code::BadInput,
                    "--jitter",
                    "jitter must be above 0 and at most 20 %",
                    "--jitter 1%");
    }
    FABRICAST_ASSIGN(const StepPieces pieces, stepPieces(scenario, profiles));
    StepSpreads spreads(scenario, pieces, detail);
    FABRICAST_TRY(spreads.begin());
    std::vector<JitterGroup> groups;
    for (std::size_t stage = 0; stage < pieces.stages.size(); ++stage) {
        FABRICAST_ASSIGN(const JitterGroup group, spreads.groupOf(stage, sigma));
        const auto same = std::ranges::find_if(groups, [&group](const JitterGroup& other) {
            return alike(other.spread, group.spread);
        });
        if (same != groups.end()) {
            same->ranks += group.ranks;
        } else if (group.spread > Seconds()) {
            groups.push_back(group);
        }
    }
    return groups;
}

}  // namespace fabricast
