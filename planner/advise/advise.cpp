#include "planner/advise/advise.h"

#include "planner/advise/other_situations.h"
#include "planner/advise/walk_families.h"
#include "planner/budget/gpu_hour.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

std::string nameOf(const OtherSituation& situation, int times) {
    return situation.of.empty() ? std::string(situation.change)
                                : fmt::format("{} times {}", 1 << times, situation.of);
}

/// The advice in another situation, or nothing where it makes no sense here.
Result<std::optional<AdviceChange>> changed(const AdviceTask& task,
                                            const OtherSituation& situation,
                                            const TimingProfiles& timing,
                                            std::size_t threads) {
    Premises premises{task.base, timing};
    std::optional<AdviceChange> change;
    for (int times = 1; times <= situation.most; ++times) {
        if (!situation.apply(premises)) {
            break;
        }
        AdviceTask other = task;
        other.base = premises.scenario;
        FABRICAST_ASSIGN(AdviceWalk walk, walkFamilies(other, premises.timing, threads));
        change = AdviceChange{.change = nameOf(situation, times)};
        if (walk.recommended) {
            AdviceStep& step = walk.steps[*walk.recommended];
            change->key = std::move(step.key);
            change->plan = std::move(step.plan);
            break;
        }
    }
    return change;
}

}  // namespace

Result<Advice> adviseOn(const AdviceTask& task, const TimingProfiles& timing, std::size_t threads) {
    Advice advice{.question = task.base, .most = task.most};
    const ClusterSpec& cluster = task.base.cluster;
    advice.basis = costBasis(cluster.node.gpu.name, cluster.gpus(), task.budget);
    FABRICAST_ASSIGN(AdviceWalk walk, walkFamilies(task, timing, threads));
    advice.steps = std::move(walk.steps);
    advice.recommended = walk.recommended;
    const std::string taken = walk.recommended ? advice.steps[*walk.recommended].key : "";
    for (const OtherSituation& situation : otherSituations()) {
        if (situation.whereItFits != advice.recommended.has_value()) {
            continue;
        }
        FABRICAST_ASSIGN(std::optional<AdviceChange> change,
                         changed(task, situation, timing, threads));
        if (change) {
            change->same = change->key == taken;
            advice.changes.push_back(*std::move(change));
        }
    }
    return advice;
}

}  // namespace fabricast
