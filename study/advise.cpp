#include "study/advise.h"

#include "planner/budget/cost_of.h"
#include "planner/load/load_question.h"
#include "planner/search/batch_steps.h"
#include "planner/search/find_plans.h"
#include "study/better_changes.h"
#include "study/fits_as_surely.h"
#include "study/idle_settings.h"
#include "study/option_search.h"
#include "study/other_situations.h"
#include "study/own_measurements.h"
#include "study/search_size.h"
#include "study/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

std::string nameOf(const OtherSituation& situation, const std::vector<Edit>& edits, int times) {
    if (!situation.of.empty()) {
        return fmt::format("{} times {}", 1 << times, situation.of);
    }
    const std::string name(situation.change);
    return situation.most == 1
               ? name
               : fmt::format("{} ({}={})", name, edits.front().path, edits.front().value);
}

/// What the question sets, as the first stack that takes it has it.
Settings usualSettings(const AdviceTask& task) {
    for (const AdviceFamily& family : task.families) {
        for (const StackSettings& stack : family.stacks) {
            const auto settings = stack.settingsFor({.dp = task.base.cluster.gpus()});
            if (family.settings.empty() && settings) {
                return *settings;
            }
        }
    }
    return task.base.settings;
}

/// None where the situation is other hardware, or makes no sense here.
std::vector<Edit> situationEdits(const OtherSituation& situation,
                                 const AdviceTask& task,
                                 int times) {
    if (situation.edits == nullptr) {
        return {};
    }
    Scenario base = task.base;
    base.settings = usualSettings(task);
    return situation.edits(base, times);
}

/// ", global batch 32" where a batch that nobody stated is another one there: its steps are of
/// other work. Where the situation states it, its name does too.
std::string batchThere(const OtherSituation& situation,
                       const AdviceTask& there,
                       const AdviceTask& here) {
    const std::vector<Edit> edits = situationEdits(situation, here, 1);
    const bool isStated =
        std::ranges::find(edits, "workload.global_batch", &Edit::path) != edits.end();
    const std::int64_t batch = there.base.workload.globalBatch;
    return isStated || batch == here.base.workload.globalBatch
               ? ""
               : fmt::format(", global batch {}", batch);
}

/// The task and what it is timed with.
struct Asked {
    AdviceTask task;
    TimingProfiles timing;
};

/// The task in another situation, or nothing where that makes no sense here.
Result<std::optional<Asked>> askedIn(const OtherSituation& situation,
                                     int times,
                                     const AdviceTask& task,
                                     const TimingProfiles& timing) {
    const ClusterSpec& cluster = task.base.cluster;
    if ((situation.betweenNodes && cluster.nodes < 2) ||
        (situation.betweenSites && cluster.sites.count < 2)) {
        return std::optional<Asked>();
    }
    if (situation.edits != nullptr) {
        const std::vector<Edit> edits = situationEdits(situation, task, times);
        if (edits.empty()) {
            return std::optional<Asked>();
        }
        FABRICAST_ASSIGN(AdviceTask other, task.with(edits));
        return std::optional(Asked{std::move(other), timing});
    }
    Premises premises{task.base, timing};
    const auto knob = std::ranges::find(knobs(), situation.knob, &Knob::key);
    knob->scale(premises, std::pow(situation.factor, times));
    Asked asked{task, std::move(premises.timing)};
    asked.task.base = std::move(premises.scenario);
    return std::optional(std::move(asked));
}

/// What is recommended, and how surely it fits.
Verdict surenessOf(const std::vector<AdviceStep>& steps,
                   const std::optional<std::size_t>& recommended) {
    return recommended ? steps[*recommended].plan->memory.verdict : Verdict::DoesNotFit;
}

bool isCutShort(const EvaluatedOptions& evaluated) {
    return std::ranges::any_of(evaluated.options,
                               [](const AdviceStep& step) { return !step.cutShort.empty(); });
}

/// The batches that the first way has layouts for that has some.
Result<std::string> batchOfSomeWay(const AdviceTask& task, const Watch& watch) {
    for (const AdviceFamily& family : task.families) {
        const bool isLeftOut = family.excluded || !family.settings.empty();
        FABRICAST_ASSIGN(std::string batch,
                         isLeftOut ? Result<std::string>(std::string())
                                   : otherBatch({task.base, family.stacks, family.rules}, watch));
        if (!batch.empty()) {
            return batch;
        }
    }
    return std::string();
}

/// The advice in another situation, or nothing where it makes no sense here, with its name alone
/// in `notLookedAt` where no work is left for it. What is recommended then fits as surely as what
/// is now.
Result<std::optional<AdviceChange>> changed(const AdviceTask& task,
                                            const OtherSituation& situation,
                                            const TimingProfiles& timing,
                                            Verdict now,
                                            std::size_t threads,
                                            const Watch& watch,
                                            std::vector<std::string>& notLookedAt) {
    std::optional<AdviceChange> change;
    for (int times = 1; times <= situation.most; ++times) {
        Result<std::optional<Asked>> asking = askedIn(situation, times, task, timing);
        // Boxes without a network cannot be several: that many of them is no situation.
        const bool isImpossible = !asking && asking.error().code == Error::Code::BadInput;
        if (isImpossible) {
            break;
        }
        FABRICAST_ASSIGN(std::optional<Asked> asked, std::move(asking));
        if (!asked) {
            break;
        }
        asked->task.onlyBest = true;
        asked->task.walksLeft = task.walksLeft;
        asked->task.enough = fitsAsSurely(Verdict::Likely, now) ? Verdict::Likely : Verdict::Fits;
        asked->task.worst = now == Verdict::DoesNotFit ? Verdict::Fits : now;
        FABRICAST_ASSIGN(EvaluatedOptions evaluated,
                         evaluateOptions(asked->task, asked->timing, threads, watch));
        const std::vector<Edit> edits = situationEdits(situation, task, times);
        const std::string name =
            nameOf(situation, edits, times) + batchThere(situation, asked->task, task);
        if (evaluated.isCut) {  // half of a change says nothing
            notLookedAt.push_back(name);
            return std::nullopt;
        }
        change = AdviceChange{.change = name, .isCut = isCutShort(evaluated)};
        change->edits = edits;
        if (fitsAsSurely(surenessOf(evaluated.options, evaluated.recommended), now)) {
            AdviceStep& step = evaluated.options[*evaluated.recommended];
            change->key = std::move(step.key);
            change->plan = std::move(step.plan);
            break;
        }
    }
    return change;
}

Result<AdviceTask> taskOf(LoadedAdvice loaded, const Question& question, const Workbench& bench) {
    AdviceTask task{.base = std::move(loaded.base), .families = std::move(loaded.families)};
    task.held = heldSamples(question, task.base.workload.globalBatch);
    task.known = &bench.known();
    FABRICAST_ASSIGN(task.budget, loadBudget(question.root, bench.profiles(), question.folders));
    return task;
}

/// What ways to train assume that have a layout, beside what the question itself does.
void addAssumedByWays(const AdviceTask& task, Advice& advice) {
    for (std::size_t i = 0; i < advice.steps.size(); ++i) {
        for (const std::string& note : task.families[i].assumed) {
            const bool isNew = std::ranges::find(advice.notes, note) == advice.notes.end();
            if (isNew && advice.steps[i].timed) {
                advice.notes.push_back(note);
            }
        }
    }
}

/// The task of the question with some keys changed.
Result<AdviceTask> changedTask(const AdviceTask& task,
                               const Question& question,
                               const Workbench& bench,
                               std::span<const Edit> edits) {
    FABRICAST_ASSIGN(const Question other, with(question, edits));
    FABRICAST_ASSIGN(LoadedAdvice loaded, loadAdvice(other, bench));
    FABRICAST_ASSIGN(AdviceTask otherTask, taskOf(std::move(loaded), other, bench));
    otherTask.most = task.most;
    return otherTask;
}

}  // namespace

Result<Advice> adviseOn(AdviceTask task,
                        const TimingProfiles& timing,
                        std::size_t threads,
                        const Watch& watch) {
    constexpr std::int64_t kMostOfAdvice = kMostEventsWalked + kMostEventsWalked / 2;
    std::int64_t walks = kMostOfAdvice;
    task.walksLeft = &walks;
    Advice advice{.question = task.base, .most = task.most};
    const ClusterSpec& cluster = task.base.cluster;
    advice.basis = costBasis(task.base, cluster.gpus(), task.budget);
    FABRICAST_ASSIGN(EvaluatedOptions evaluated, evaluateOptions(task, timing, threads, watch));
    advice.steps = std::move(evaluated.options);
    advice.recommended = evaluated.recommended;
    advice.stopped = evaluated.stopped;
    if (!advice.hasLayouts() && !advice.stopped) {
        FABRICAST_ASSIGN(advice.otherBatch, batchOfSomeWay(task, watch));
    }
    if (!advice.otherBatch.empty()) {  // neither memory nor more of anything is what lacks
        return advice;
    }
    const Verdict now = surenessOf(advice.steps, advice.recommended);
    const std::string taken =
        advice.recommended ? advice.steps[*advice.recommended].key : std::string();
    for (const OtherSituation& situation : otherSituations()) {
        if (situation.whereItFits != advice.recommended.has_value() || advice.stopped) {
            continue;
        }
        Result<std::optional<AdviceChange>> found =
            changed(task, situation, timing, now, threads, watch, advice.notLookedAt);
        advice.stopped = watch.stopped() || (!found && found.error().code == Error::Code::Stopped);
        if (advice.stopped) {
            continue;  // half of a change says nothing
        }
        FABRICAST_ASSIGN(std::optional<AdviceChange> change, std::move(found));
        if (change) {
            change->same = change->key == taken;
            advice.changes.push_back(*std::move(change));
        }
    }
    return advice;
}

namespace {

Result<void> addAdviceMeasurements(const BudgetFacts& budget,
                                   const Workbench& bench,
                                   Advice& advice) {
    std::vector<Plan> plans;
    for (const AdviceStep& step : advice.steps) {
        if (step.plan) {
            plans.push_back(*step.plan);
        }
    }
    FABRICAST_ASSIGN(const std::vector<std::string> own, ownMeasurementNotes(plans, budget, bench));
    addNotes(own, advice.notes);
    return {};
}

/// What was stated without effect on the best plan of any way to train.
Result<void> addIdleInWays(const Question& question, const Workbench& bench, Advice& advice) {
    std::vector<Question> questions;
    for (const AdviceStep& step : advice.steps) {
        if (step.plan) {
            FABRICAST_ASSIGN(Question about, with(question, step.edits));
            questions.push_back(std::move(about));
        }
    }
    FABRICAST_ASSIGN(const std::vector<std::string> idle, idleSettingsNote(questions, bench, {}));
    addNotes(idle, advice.notes);
    return {};
}

}  // namespace

Result<Advice> advise(const Question& question,
                      const AdviseAsk& ask,
                      const Workbench& bench,
                      const Watch& watch) {
    FABRICAST_ASSIGN(LoadedAdvice loaded, loadAdvice(question, bench));
    FABRICAST_TRY(checkSearchSize(loaded.base.model, loaded.base.cluster, kAdviseSize));
    std::vector<std::string> assumed = std::move(loaded.assumed);
    FABRICAST_ASSIGN(AdviceTask task, taskOf(std::move(loaded), question, bench));
    if (ask.maxUsd > 0) {
        if (!task.budget.length) {
            return fail(Error::Code::BadInput,
                        "--max-usd",
                        "is for the whole run, whose number of tokens is not given",
                        "--tokens 1T");
        }
        const ClusterSpec& cluster = task.base.cluster;
        const CostBasis basis = costBasis(cluster, cluster.gpus(), task.budget);
        if (!basis.why.empty()) {
            return fail(
                Error::Code::BadInput, "--max-usd", basis.why, "--price 2.50, or " + basis.hint);
        }
        task.most = Usd(static_cast<double>(ask.maxUsd));
    }
    task.with = [&](std::span<const Edit> edits) {
        return changedTask(task, question, bench, edits);
    };
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(Advice advice, adviseOn(task, *timing, bench.threads(), watch));
    advice.notes = std::move(assumed);
    FABRICAST_TRY(addAdviceMeasurements(task.budget, bench, advice));
    addAssumedByWays(task, advice);
    if (!advice.stopped) {
        std::vector<Plan> best;
        if (advice.recommended) {
            best.push_back(*advice.steps[*advice.recommended].plan);
        }
        Result<std::optional<SurerChange>> surer = surerChange(question, best, bench, watch);
        advice.stopped = !surer && surer.error().code == Error::Code::Stopped;
        if (!advice.stopped) {
            FABRICAST_ASSIGN(advice.surer, std::move(surer));
            FABRICAST_TRY(addIdleInWays(question, bench, advice));
        }
    }
    return advice;
}

}  // namespace fabricast
