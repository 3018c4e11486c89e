#include "planner/memory/stage_memory.h"
#include "planner/result/comparison_band.h"
#include "study/better_changes.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/fits_as_surely.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr double kWorthSaying = 0.98;
/// Walking a step's memory takes much longer than timing it.
constexpr std::size_t kMostWalked = 3;

Result<Judgement> judgedByTime(const Question& changed,
                               const Scenario& before,
                               const Workbench& bench) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(changed.root, bench.profiles(), changed.folders));
    if (loaded.scenario.layout.world() != before.layout.world()) {
        return fail(Error::Code::Unsupported, "layout", "takes another number of GPUs");
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(StepEstimate step, estimateStep(loaded.scenario, *timing));
    Judgement judgement{.distance = step.step.value.count()};
    judgement.plan.scenario = std::move(loaded.scenario);
    judgement.plan.step = std::move(step);
    return judgement;
}

bool isSetting(const Change& change) {
    return std::ranges::all_of(change.edits,
                               [](const Edit& edit) { return edit.path.starts_with("settings."); });
}

/// "layout.tp=4"; of several keys all but the first with their flag.
std::string assignmentsOf(const std::vector<Edit>& edits) {
    std::string text;
    for (const Edit& edit : edits) {
        text += (text.empty() ? "" : " --set ") + edit.path + "=" + edit.value;
    }
    return text;
}

/// The batch's edit, where the change alone would make it another.
Result<std::vector<Edit>> heldBeside(const std::vector<Edit>& change,
                                     const Question& question,
                                     std::int64_t samples,
                                     const Workbench& bench) {
    FABRICAST_ASSIGN(const Question changed, with(question, change));
    const Result<LoadedScenario> alone =
        loadScenario(changed.root, bench.profiles(), changed.folders);
    const bool isSame = alone && alone->scenario.workload.globalBatch == samples;
    return isSame ? std::vector<Edit>() : heldSamples(question, samples);
}

}  // namespace

Result<std::optional<FasterChange>> fasterChange(const Question& question,
                                                 const Scenario& scenario,
                                                 const StepEstimate& step,
                                                 const std::optional<Verdict>& now,
                                                 const Workbench& bench,
                                                 const Watch& watch,
                                                 FasterBy by) {
    // A batch that follows from the layout stays what it was: so many tokens are rounded by it too.
    const std::int64_t samples = scenario.workload.globalBatch;
    FABRICAST_ASSIGN(const Question asked, with(question, heldSamples(question, samples)));
    ChangeSearch search{
        .before = step.step.value.count(), .worth = kWorthSaying, .threads = bench.threads()};
    const ChangeSubject subject{.question = asked, .now = scenario, .stacks = {scenario.stack}};
    std::vector<Change> changes = changesFor(Aim::Speed, subject);
    if (by == FasterBy::Settings) {
        std::erase_if(changes, [](const Change& change) { return !isSetting(change); });
    }
    FABRICAST_ASSIGN(
        const std::vector<TriedChange> faster,
        findChanges(
            asked,
            changes,
            [&](const Question& changed, double) { return judgedByTime(changed, scenario, bench); },
            search,
            watch));
    for (std::size_t i = 0; i < std::min(faster.size(), kMostWalked); ++i) {
        const Plan& plan = faster[i].judgement.plan;
        const auto memory = memoryOfFullestStage(plan.scenario, kNoLimit, watch);
        FABRICAST_TRY(watch.check());
        if (memory && fitsAsSurely(memory->verdict, now.value_or(Verdict::Fits))) {
            std::vector<Edit> edits = faster[i].edits();
            FABRICAST_ASSIGN(const std::vector<Edit> held,
                             heldBeside(edits, question, samples, bench));
            edits.insert(edits.end(), held.begin(), held.end());
            const double band = comparisonBand(step.comparison, scenario, plan.scenario);
            return std::optional(FasterChange{
                .set = assignmentsOf(edits),
                .edits = std::move(edits),
                .step = plan.step.step,
                .verdict = memory->verdict,
                .isClear = !isWithinBand(step.step.value / plan.step.step.value, band)});
        }
    }
    return std::optional<FasterChange>();
}

}  // namespace fabricast
