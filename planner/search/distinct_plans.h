#pragma once
#include "planner/result/plan_report.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace fabricast {

/// What the forecast cannot tell apart: far below its error, and above the scatter between two
/// spellings of one layout.
inline constexpr double kAlike = 0.005;

/// Whether a plan counts among those that fit; with `tight` (--allow tight) one that likely fits
/// is as good.
constexpr bool countsAsFit(Verdict verdict, bool tight) {
    return verdict == Verdict::Fits || (tight && verdict == Verdict::Likely);
}

/// This collects plans in the order in which a search finds them, best first, so that rows differ
/// in what matters: those with the same stack and division of the ranks, recomputed alike, are one
/// row. It shows the safest and simplest of those within half a percent of its best plan that fits,
/// and keeps them; slower ones are left out. Rows of several stacks that show one layout in the
/// same time and memory are one too, of the stack that was found first.
///     DistinctPlans found({.objective = objective, .tight = false});
///     while (found.settledBeyond(top) >= value of the next && …) { found.add(std::move(plan)); }
///     report.plans = std::move(found).best(top);
class DistinctPlans {
public:
    struct Rules {
        PlanObjective objective = PlanObjective::Throughput;
        bool tight = false;  ///< plans that likely fit count as much as those that fit
        /// No layout is known to be held by the nodes' memory: one that nobody can tell of is as
        /// sure as any (host_floor.h).
        bool allOnHost = false;
    };
    explicit DistinctPlans(Rules rules) : rules_(rules) {}

    void add(Plan plan);
    /// Whether a plan with this value (add's: seconds, or bytes) would be left out, as its row has
    /// a better one that fits.
    [[nodiscard]] bool leavesOut(const Scenario& scenario, double value) const;
    /// Groups that count: those with a plan that does (countsAsFit).
    [[nodiscard]] std::size_t rows() const;
    /// Groups with a plan that likely fits, and none that counts.
    [[nodiscard]] std::size_t likelyRows() const;

    /// Beyond this value no plan changes the first `top` rows; nothing while fewer count.
    [[nodiscard]] std::optional<double> settledBeyond(std::size_t top) const;

    /// The first `top` groups, those that fit before the others; each plan with those alike.
    [[nodiscard]] std::vector<Plan> best(std::size_t top) &&;
    /// The same plans while more are looked for, without those alike.
    [[nodiscard]] std::vector<Plan> soFar(std::size_t top) const;
    /// What would be the first row if plans that likely fit counted; nullptr: no plan would count.
    [[nodiscard]] const Plan* firstIfTight();
    /// The best plan that counts, of nodes whose memory or drives are not known; nullptr: none.
    [[nodiscard]] const Plan* hostUnknown() const;

private:
    [[nodiscard]] double valueOf(const Plan& plan) const;
    using Group = std::vector<Plan>;
    /// The best plan of a group that counts, or the best where none does.
    [[nodiscard]] Group::const_iterator firstOf(const Group& group) const;
    [[nodiscard]] Group::const_iterator shownIn(const Group& group) const;
    [[nodiscard]] Plan shownOf(Group group) const;
    /// A row to show: the place of its group, and of those that are its twins.
    struct Row {
        const Plan* shown = nullptr;
        std::vector<std::size_t> groups{};
    };
    [[nodiscard]] std::vector<Row> firstRows(std::size_t top) const;
    [[nodiscard]] bool counts(const Plan& plan) const {
        return countsAsFit(plan.memory.onDevice, rules_.tight);
    }

    Rules rules_;
    std::vector<Group> groups_;  ///< each in the order of finding
};

/// Whether two layouts differ only in how they are spelled: the kind of context parallelism, what
/// is sharded, the pipeline's order, the micro-batch.
bool sameInWhatMatters(const Scenario& a, const Scenario& b);

}  // namespace fabricast
