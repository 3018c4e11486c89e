#include "study/memory_fixes.h"

#include "planner/memory/memory_of_stages.h"
#include "study/changes.h"
#include "study/find_changes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostFixes = 5;
constexpr std::size_t kMostLookedAt = 8;
constexpr int kMostCombined = 4;

/// Every stage is walked for every change that is tried.
int triesFor(const Layout& layout) {
    constexpr std::int64_t kStagesWalked = 2048;
    return static_cast<int>(std::clamp<std::int64_t>(kStagesWalked / layout.pp, 2, 100));
}

/// Tries what lowers the peak of one layout.
class FixSearch {
public:
    FixSearch(const MemoryBreakdown& memory,
              const Scenario& scenario,
              const Workbench& bench,
              const Watch& watch)
        : memory_(memory),
          scenario_(scenario),
          bench_(bench),
          watch_(watch),
          search_({.before = bytes(memory.peak.value),
                   .order = ChangeOrder::FirstOfEffort,
                   .tries = triesFor(scenario.layout)}) {}

    Result<std::vector<TriedChange>> singles(const Question& question) {
        return tryAll(question, scenario_, bytes(memory_.peak.value));
    }

    /// Where no single change is enough: the best one, then the best one after it, until it fits.
    Result<std::optional<TriedChange>> combined(const Question& question, TriedChange now) {
        for (int step = 1; step < kMostCombined && !now.judgement.reaches; ++step) {
            FABRICAST_ASSIGN(const Question changed, with(question, now.edits()));
            FABRICAST_ASSIGN(std::vector<TriedChange> next,
                             tryAll(changed, now.judgement.plan.scenario, now.judgement.distance));
            if (next.empty()) {
                return std::optional<TriedChange>();
            }
            now.changes.push_back(std::move(next.front().changes.front()));
            now.judgement = std::move(next.front().judgement);
        }
        return now.judgement.reaches ? std::optional(std::move(now)) : std::nullopt;
    }

private:
    static double bytes(Bytes size) { return static_cast<double>(size.count()); }

    Result<std::vector<TriedChange>> tryAll(const Question& question,
                                            const Scenario& now,
                                            double before) {
        search_.before = before;
        const ChangeSubject subject{.question = question, .now = now, .stacks = {now.stack}};
        return findChanges(
            question,
            changesFor(Aim::Memory, subject),
            [this](const Question& changed, double enough) { return judge(changed, enough); },
            search_,
            watch_);
    }

    Result<Judgement> judge(const Question& changed, double enough) const {
        FABRICAST_ASSIGN(LoadedScenario loaded,
                         loadScenario(changed.root, bench_.profiles(), changed.folders));
        FABRICAST_ASSIGN(
            const Bytes peak,
            peakOfFullestStage(loaded.scenario, Bytes(static_cast<std::int64_t>(enough)), watch_));
        Judgement judgement{.distance = bytes(peak), .reaches = peak <= memory_.capacity};
        judgement.plan.scenario = std::move(loaded.scenario);
        return judgement;
    }

    const MemoryBreakdown& memory_;
    const Scenario& scenario_;
    const Workbench& bench_;
    const Watch& watch_;
    ChangeSearch search_;
};

/// Its numbers are those that `explain` has of the changed question.
Result<Fix> fixOf(const TriedChange& tried, const std::vector<Edit>& held, const Watch& watch) {
    FABRICAST_ASSIGN(const MemoryBreakdown after,
                     memoryOfFullestStage(tried.judgement.plan.scenario, kNoLimit, watch));
    Fix fix{.peakAfter = after.peak.value, .verdict = after.verdict};
    for (const Change& change : tried.changes) {
        fix.change += (fix.change.empty() ? "" : " and ") + layoutTitleOf(change);
        fix.sideEffect += (fix.sideEffect.empty() ? "" : "; ") + change.sideEffect;
    }
    fix.edits = held;
    const std::vector<Edit> edits = tried.edits();
    fix.edits.insert(fix.edits.end(), edits.begin(), edits.end());
    fix.typed = typed(fix.edits);
    return fix;
}

Result<std::vector<Fix>> fixesOf(const MemoryBreakdown& memory,
                                 const Scenario& scenario,
                                 const Question& question,
                                 const Workbench& bench,
                                 const Watch& watch) {
    const std::vector<Edit> held = heldBatch(question, scenario.workload.globalBatch);
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    FixSearch search(memory, scenario, bench, watch);
    FABRICAST_ASSIGN(const std::vector<TriedChange> found, search.singles(asked));
    std::vector<Fix> fixes;
    if (!found.empty() && !found.front().judgement.reaches) {
        FABRICAST_ASSIGN(const std::optional<TriedChange> combined,
                         search.combined(asked, found.front()));
        if (combined) {
            FABRICAST_ASSIGN(Fix fix, fixOf(*combined, held, watch));
            fixes.push_back(std::move(fix));
        }
    }
    for (const TriedChange& tried : found) {
        if (fixes.size() < kMostLookedAt) {
            FABRICAST_TRY(watch.check());
            FABRICAST_ASSIGN(Fix fix, fixOf(tried, held, watch));
            fixes.push_back(std::move(fix));
        }
    }
    // What surely fits comes before what may.
    std::ranges::stable_sort(fixes, {}, &Fix::verdict);
    fixes.resize(std::min(fixes.size(), kMostFixes));
    return fixes;
}

}  // namespace

Result<MemoryBreakdown> withFixes(MemoryBreakdown memory,
                                  const Scenario& scenario,
                                  const Question& question,
                                  const Workbench& bench,
                                  const Watch& watch) {
    if (memory.verdict == Verdict::Fits) {
        return memory;
    }
    const StageMemory& stage = memory.stages[memory.fullest];
    Rejection rejection;
    rejection.bound = Bound::GpuMemory;
    rejection.over = std::max(memory.peak.value,
                              memory.peak.lo > memory.capacity ? memory.peak.lo : memory.peak.hi) -
                     memory.capacity;
    rejection.where = "stage " + std::to_string(stage.stage) + ", " + stage.peakAt;
    FABRICAST_ASSIGN(rejection.fixes, fixesOf(memory, scenario, question, bench, watch));
    memory.rejections.push_back(std::move(rejection));
    return memory;
}

}  // namespace fabricast
