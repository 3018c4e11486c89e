#include "study/option_search.h"
#include "study/typed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// From here on a sequence is worth cutting: half of it still fills a GPU's kernels.
constexpr std::int64_t kLongSequence = 8192;

/// Whether what the question trains fits, as surely as is wanted, without help from the host, at a
/// price that may be paid.
bool isFound(const AdviceTask& task, const std::vector<AdviceStep>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        const AdviceStep& step = before[i];
        const bool asked = task.families[i].moment != AdviceMoment::NothingFits;
        const bool helped = step.timed && step.plan->scenario.layout.offload != Offload::None;
        const bool fits = step.timed && step.plan->memory.onDevice <= task.enough;
        if (asked && fits && !helped && isAffordable(step, task.most)) {
            return true;
        }
    }
    return false;
}

bool asksForAdapters(const AdviceTask& task) {
    return std::ranges::any_of(task.families, &AdviceFamily::asked);
}

std::string notNeeded(const AdviceTask& task) {
    return asksForAdapters(task) ? "not needed: it fits without" : "not needed: full training fits";
}

/// Why nothing of this question could be trained like this, whatever its software.
std::string hasNothingToSplit(const AdviceTask& task, const AdviceFamily& family) {
    if (family.moment == AdviceMoment::Experts && !task.base.model.moe) {
        return "the model has no experts";
    }
    return family.moment == AdviceMoment::SeveralNodes && task.base.cluster.nodes == 1 ? "one node"
                                                                                       : "";
}

/// Why a family is left out, or nothing where it is asked.
std::string leftOut(const AdviceTask& task,
                    const AdviceFamily& family,
                    const std::vector<AdviceStep>& before) {
    if (std::string why = hasNothingToSplit(task, family); !why.empty()) {
        return why;
    }
    if (family.excluded) {
        return family.named ? "not among search.stacks"
                            : "its software cannot run it: left out below";
    }
    if (family.asked) {
        return "asked of every way";
    }
    const bool found = isFound(task, before);
    const std::string alone = task.base.cluster.gpus() > 1 ? "" : "nothing to divide on one GPU";
    switch (family.moment) {
        case AdviceMoment::Always:
        case AdviceMoment::SeveralNodes:
            break;
        case AdviceMoment::SeveralGpus:
            return found ? alone : "";
        case AdviceMoment::Experts:
        case AdviceMoment::Stages:
            return alone;
        case AdviceMoment::Adapters:
            return family.named || asksForAdapters(task) ? "" : "usual for adapters";
        case AdviceMoment::LongSequence:
            if (!alone.empty()) {
                return alone;
            }
            return task.base.workload.sequence >= kLongSequence || !found
                       ? ""
                       : fmt::format("sequences below {}", kLongSequence);
        case AdviceMoment::NothingFits:
            return found ? notNeeded(task) : "";
    }
    return "";
}

/// "settings.tuning=lora --set settings.lora.base=nf4".
std::string typedSettings(const AdviceFamily& family) {
    std::string text;
    for (const Edit& edit : family.settings) {
        text += (text.empty() ? "" : " --set ") + edit.path + "=" + edit.value;
    }
    return text;
}

/// Of those before that train the same, the fastest step that surely fits: a way that is slower is
/// not recommended beside it.
double fastestBefore(const AdviceTask& task,
                     const AdviceStep& step,
                     std::span<const AdviceStep> before) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const AdviceStep& other : before) {
        const bool fits = other.timed && other.plan->memory.verdict == Verdict::Fits &&
                          isAffordable(other, task.most);
        if (fits && other.set == step.set) {
            fastest = std::min(fastest, other.plan->step.step.value.count());
        }
    }
    return fastest;
}

Result<std::vector<Edit>> editsOf(const AdviceTask& task,
                                  const AdviceFamily& family,
                                  const AdviceStep& step) {
    if (!step.plan) {
        return std::vector<Edit>();
    }
    const Scenario& scenario = step.plan->scenario;
    FABRICAST_ASSIGN(std::vector<Edit> edits, layoutEdits(typedLayout(scenario), "--layout"));
    edits.push_back({"stack", scenario.stack, "--stack"});
    edits.insert(edits.end(), task.held.begin(), task.held.end());
    edits.insert(edits.end(), family.settings.begin(), family.settings.end());
    for (std::size_t i = 0; i < family.recipes.size(); ++i) {
        if (family.stacks[i].stack->name == scenario.stack) {
            edits.insert(edits.end(), family.recipes[i].begin(), family.recipes[i].end());
        }
    }
    return edits;
}

}  // namespace

Result<EvaluatedOptions> evaluateOptions(const AdviceTask& task,
                                         const TimingProfiles& timing,
                                         std::size_t threads,
                                         const Watch& watch) {
    EvaluatedOptions evaluated;
    for (const AdviceFamily& family : task.families) {
        evaluated.stopped = watch.stopped() && !evaluated.options.empty();
        if (evaluated.stopped) {
            break;
        }
        FABRICAST_TRY(watch.check());
        watch.say(family.question);
        AdviceStep step{
            .key = family.key, .question = family.question, .set = typedSettings(family)};
        step.why = leftOut(task, family, evaluated.options);
        if (step.why.empty() && task.walksLeft != nullptr && *task.walksLeft <= 0) {
            step.why = "not looked at: those before took all the work of an answer";
            step.cutShort = "not looked at";
            evaluated.isCut = true;
        }
        if (step.why.empty()) {
            PlanBench bench{timing, threads, watch};
            if (task.onlyBest) {
                bench.slowest = fastestBefore(task, step, evaluated.options);
            }
            const Result<void> planned = planFamily(task, family, bench, step);
            evaluated.stopped = !planned && planned.error().code == Error::Code::Stopped &&
                                !evaluated.options.empty();
            if (evaluated.stopped) {
                break;
            }
            FABRICAST_TRY(planned);
            FABRICAST_ASSIGN(step.edits, editsOf(task, family, step));
        }
        evaluated.options.push_back(std::move(step));
    }
    evaluated.recommended = chooseOption(evaluated.options, task.most, task.worst);
    return evaluated;
}

}  // namespace fabricast
