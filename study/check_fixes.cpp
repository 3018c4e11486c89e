#include "study/check_fixes.h"

#include "planner/load/load_question.h"
#include "planner/report/memory_report.h"
#include "study/asked_file.h"
#include "study/changes.h"
#include "study/fix_judge.h"
#include "study/fixes.h"
#include "study/launch_lint.h"
#include "study/requirements.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

namespace fabricast {
namespace {

bool isAboutMemory(const CheckedRequirement& one) {
    const Metric metric = one.requirement.metric;
    return metric == Metric::Fits || metric == Metric::MemoryPeak ||
           metric == Metric::MemoryPeakShare || metric == Metric::HostMemory;
}

/// Whether there are more GPUs or nodes than may be.
bool isOverCount(const CheckedRequirement& one) {
    const Metric metric = one.requirement.metric;
    return isFailed(one) && (metric == Metric::Gpus || metric == Metric::Nodes) && one.value &&
           one.value->value >= one.bound;
}

/// Whether changes are judged by dollars at a price that was given for the GPUs that there are.
bool isOfGivenPrice(const CheckReport& report, const Question& asked, const Workbench& bench) {
    const Result<BudgetFacts> budget = loadBudget(asked.root, bench.profiles(), asked.folders);
    return budget && budget->perGpuHour &&
           std::ranges::any_of(report.requirements, [](const CheckedRequirement& one) {
               return !one.isWarning() && (one.requirement.metric == Metric::UsdPerMtok ||
                                           one.requirement.metric == Metric::UsdPerRun);
           });
}

/// Takes away what puts other GPUs in the place of these.
void dropOtherGpus(std::vector<Change>& changes) {
    std::erase_if(changes, [](const Change& change) {
        return std::ranges::any_of(change.edits, [](const Edit& edit) {
            return edit.path == "cluster.name" || edit.path == "cluster.gpu";
        });
    });
}

/// Changes of a question for what failed: memory, speed, or both.
std::vector<Change> changesOf(const Question& asked,
                              const Scenario& now,
                              const CheckReport& report,
                              const Workbench& bench) {
    const ChangeSubject subject{
        .question = asked, .now = now, .stacks = {now.stack}, .profiles = &bench.profiles()};
    const auto failed = [&](bool memory) {
        return std::ranges::any_of(report.requirements, [memory](const CheckedRequirement& one) {
            return isFailed(one) && isAboutMemory(one) == memory;
        });
    };
    std::vector<Change> changes;
    if (failed(true)) {
        changes = changesFor(Aim::Memory, subject);
    }
    if (failed(false)) {
        addNew(changes, changesFor(Aim::Speed, subject));
        addNew(changes, changesFor(Aim::Buy, subject));
    }
    if (std::ranges::any_of(report.requirements, &isOverCount)) {
        addNew(changes, changesFor(Aim::Fewer, subject));
    }
    if (isOfGivenPrice(report, asked, bench)) {
        dropOtherGpus(changes);
    }
    return changes;
}

/// Whether it fails for there is no baseline: no change of the scenario mends that.
bool comparesInVain(const CheckReport& report) {
    return std::ranges::any_of(report.requirements, [](const CheckedRequirement& one) {
        return one.requirement.ofBaseline && !one.isWarning() && one.verdict == CheckVerdict::Fails;
    });
}

/// Nothing where it surely fits.
std::string fitEffect(Verdict verdict) {
    return verdict == Verdict::Fits ? "" : std::string(fitText(verdict)) + " in memory";
}

/// What a fix is made from, beside the change that was tried.
struct FixSubject {
    const Question& asTyped;
    const Scenario& now;
    const std::vector<Edit>& held;
    const std::vector<OpenedFile>& files;  ///< that the question came from
    const Workbench& bench;
    const CheckBaseline* baseline;  ///< may be null
};

std::string joinedEffects(std::initializer_list<std::string> effects) {
    std::string text;
    for (const std::string& effect : effects) {
        text += (text.empty() || effect.empty() ? "" : "; ") + effect;
    }
    return text;
}

/// What holds the batch, where the changes alone would make it another.
std::vector<Edit> batchHeldBy(const TriedChange& tried, const FixSubject& subject) {
    const Result<Question> alone = with(subject.asTyped, tried.edits());
    const Result<LoadedScenario> loaded =
        alone ? loadScenario(alone->root, subject.bench.profiles(), alone->folders)
              : tl::unexpected(alone.error());
    const bool isSame = loaded && loaded->scenario.workload.globalBatch ==
                                      tried.judgement.plan.scenario.workload.globalBatch;
    return isSame ? std::vector<Edit>() : subject.held;
}

/// What a fix types first so that a launch file's baseline stays on the hardware it is on.
std::vector<Edit> heldHardware(const std::vector<Edit>& fix, const FixSubject& subject) {
    const auto nodes = std::to_string(subject.baseline->side.scenario.cluster.nodes);
    std::vector<Edit> changes = editsBehind(subject.asTyped, fix);
    std::erase_if(changes, [&nodes](const Edit& edit) {
        return edit.path == "cluster.nodes" && edit.value == nodes;
    });
    return heldInBaseline(subject.baseline->question, changes);
}

CheckFix fixOf(const TriedChange& tried, const FixSubject& subject, JudgedFix judged) {
    // A requirement that asks whether it fits says so itself.
    const std::string fit = fitAsked(judged.after) ? "" : fitEffect(judged.verdict);
    CheckFix fix{.mends = tried.judgement.reaches,
                 .change = tried.title(),
                 .edits = batchHeldBy(tried, subject),
                 .typed = {},
                 .sideEffect = joinedEffects(
                     {sideEffectsOf(tried.changes), hardwareEffect(tried, subject.now), fit}),
                 .after = std::move(judged.after)};
    const std::vector<Edit> edits = tried.edits();
    fix.edits.insert(fix.edits.end(), edits.begin(), edits.end());
    fix.typed = typedBehind(subject.asTyped, fix.edits);
    if (subject.baseline != nullptr) {
        const std::string held = typed(heldHardware(fix.edits, subject));
        fix.typed = held.empty() ? fix.typed : held + " " + fix.typed;
    }
    fix.inFile = ownKeysOf(subject.files, subject.asTyped, fix.edits, subject.bench);
    return fix;
}

/// What fixes are looked for.
struct FixesWanted {
    const CheckBaseline* baseline = nullptr;  ///< may be null
    std::size_t most = 0;
    FixGoal goal = FixGoal::NoneFails;
};

struct FoundFix {
    CheckFix fix;
    FixGroup group = FixGroup::Free;

    /// It leaves nothing unsure.
    [[nodiscard]] bool isSure() const {
        return fix.mends && std::ranges::all_of(fix.after, [](const CheckedRequirement& one) {
                   return one.verdict == CheckVerdict::Holds;
               });
    }
};

Result<std::vector<FoundFix>> soughtFixes(const Question& question,
                                          const CheckReport& report,
                                          const FixesWanted& wanted,
                                          const Workbench& bench,
                                          const Watch& watch) {
    const CheckBaseline* const baseline = wanted.baseline;
    const Scenario& now = report.side.scenario;
    const std::vector<Edit> held = heldBatch(question, now.workload.globalBatch);
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    FixJudge judge(report, baseline == nullptr ? nullptr : &baseline->side, bench, wanted.goal);
    const auto judged = [&judge](const Question& changed, double) { return judge.judge(changed); };
    const auto catalogue = [&](const Question& changed, const Scenario& scenario) {
        return changesOf(changed, scenario, report, bench);
    };
    const std::vector<Change> undone =
        baseline == nullptr ? std::vector<Change>() : undoneChanges(asked, baseline->question);
    FixesSought sought{.undone = undone, .catalogue = catalogue, .judge = judged, .watch = watch};
    sought.search = {.before = worstShortfall(report.requirements),
                     .worth = 1.0,
                     .parts = shortfallsOf(report.requirements),
                     .isReached = report.verdict() != CheckVerdict::Fails,
                     .order = ChangeOrder::LeastEffort,
                     .tries = kMostTries};
    FABRICAST_ASSIGN(const std::vector<TriedChange> found, seekFixes(asked, now, sought));
    const std::vector<OpenedFile> files = askedFiles(question);
    const FixSubject subject{question, now, held, files, bench, baseline};
    std::vector<FoundFix> fixes;
    for (const TriedChange& tried : found) {
        // Where nothing mends it, what comes nearest is all that is named.
        if (fixes.size() == wanted.most || (!tried.judgement.reaches && !fixes.empty())) {
            break;
        }
        FABRICAST_ASSIGN(const Question changed, with(asked, tried.edits()));
        fixes.push_back({fixOf(tried, subject, judge.of(changed)), tried.group()});
    }
    return fixes;
}

/// Where all that was found leaves something unsure, the first that does not, in place of the last.
Result<void> addSure(const Question& question,
                     const CheckReport& report,
                     FixesWanted wanted,
                     const Workbench& bench,
                     const Watch& watch,
                     std::vector<FoundFix>& fixes) {
    if (fixes.empty() || !fixes.front().fix.mends ||
        std::ranges::any_of(fixes, &FoundFix::isSure)) {
        return {};
    }
    wanted.goal = FixGoal::Holds;
    FABRICAST_ASSIGN(std::vector<FoundFix> found,
                     soughtFixes(question, report, wanted, bench, watch));
    const auto sure = std::ranges::find_if(found, &FoundFix::isSure);
    if (sure != found.end()) {
        fixes.resize(std::min(fixes.size(), wanted.most - 1));
        fixes.push_back(std::move(*sure));
    }
    return {};
}

}  // namespace

Result<std::vector<CheckFix>> checkFixes(const Question& question,
                                         const CheckReport& report,
                                         const CheckBaseline* baseline,
                                         std::size_t most,
                                         const Workbench& bench,
                                         const Watch& watch) {
    if (baseline == nullptr && comparesInVain(report)) {
        return std::vector<CheckFix>();
    }
    const FixesWanted wanted{.baseline = baseline, .most = most};
    FABRICAST_ASSIGN(std::vector<FoundFix> found,
                     soughtFixes(question, report, wanted, bench, watch));
    FABRICAST_TRY(addSure(question, report, wanted, bench, watch, found));
    std::ranges::stable_sort(
        found, {}, [](const FoundFix& one) { return std::pair(one.group, !one.isSure()); });
    std::vector<CheckFix> fixes;
    for (FoundFix& one : found) {
        fixes.push_back(std::move(one.fix));
    }
    return fixes;
}

}  // namespace fabricast
