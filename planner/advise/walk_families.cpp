#include "planner/advise/walk_families.h"

#include "planner/advise/choose_step.h"
#include "planner/advise/family_plan.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace fabricast {
namespace {

/// From here on a sequence is worth cutting: half of it still fills a GPU's kernels.
constexpr std::int64_t kLongSequence = 8192;

/// Whether full training fits without help from the host, at a price that may be paid.
bool isFound(const AdviceTask& task, const std::vector<AdviceStep>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        const AdviceStep& step = before[i];
        const bool plain = task.families[i].moment != AdviceMoment::NothingFits;
        if (plain && step.timed && isAffordable(step, task.most)) {
            return true;
        }
    }
    return false;
}

/// Why a family is left out, or nothing where it is asked.
std::string leftOut(const AdviceTask& task,
                    const AdviceFamily& family,
                    const std::vector<AdviceStep>& before) {
    const bool found = isFound(task, before);
    switch (family.moment) {
        case AdviceMoment::Always:
            break;
        case AdviceMoment::SeveralNodes:
            return task.base.cluster.nodes > 1 ? "" : "one node";
        case AdviceMoment::Experts:
            return task.base.model.moe ? "" : "the model has no experts";
        case AdviceMoment::LongSequence:
            return task.base.workload.sequence >= kLongSequence || !found
                       ? ""
                       : fmt::format("sequences below {}", kLongSequence);
        case AdviceMoment::NothingFits:
            return found ? "not needed: full training fits" : "";
    }
    return "";
}

}  // namespace

Result<AdviceWalk> walkFamilies(const AdviceTask& task,
                                const TimingProfiles& timing,
                                std::size_t threads) {
    AdviceWalk walk;
    for (const AdviceFamily& family : task.families) {
        AdviceStep step{.key = family.key, .question = family.question, .set = family.set};
        step.why = leftOut(task, family, walk.steps);
        if (step.why.empty()) {
            FABRICAST_TRY(planFamily(task, family, {timing, threads}, step));
        }
        walk.steps.push_back(std::move(step));
    }
    walk.recommended = chooseStep(walk.steps, task.most);
    return walk;
}

}  // namespace fabricast
