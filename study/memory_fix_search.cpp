#include "study/memory_fix_search.h"

#include "planner/estimate/pipeline_time.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "study/changes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fabricast {
namespace {

/// Every stage is walked for every change that is tried.
int triesFor(const Layout& layout) {
    constexpr std::int64_t kStagesWalked = 2048;
    return static_cast<int>(std::clamp<std::int64_t>(kStagesWalked / layout.pp, 2, 100));
}

double bytes(Bytes size) {
    return static_cast<double>(size.count());
}

/// How many times what there is; 0 where that is not known.
double timesThere(const HostNeed& need) {
    return need.there && *need.there > Bytes() ? need.perNode / *need.there : 0.0;
}

/// The peak, or as many times the GPU's memory as the host's or the drives' is needed: what is
/// short decides.
double distanceOf(const MemoryBreakdown& memory) {
    const double node = std::max(timesThere(memory.host), timesThere(memory.drives));
    return std::max(bytes(memory.peak.value), node * bytes(memory.room()));
}

std::vector<Change> catalogue(const Question& question, const Scenario& now) {
    return changesFor(Aim::Memory, {.question = question, .now = now, .stacks = {now.stack}});
}

/// What keeps to the hardware that there is.
std::vector<Change> keepingHardware(const Question& question, const Scenario& now) {
    std::vector<Change> changes = catalogue(question, now);
    std::erase_if(changes, [](const Change& one) { return one.group == FixGroup::Buy; });
    return changes;
}

}  // namespace

MemoryFixSearch::MemoryFixSearch(const MemoryBreakdown& memory,
                                 const Scenario& scenario,
                                 const Workbench& bench,
                                 const Watch& watch)
    : memory_(memory),
      scenario_(scenario),
      bench_(bench),
      watch_(watch),
      search_({.before = distanceOf(memory),
               .order = ChangeOrder::FirstOfEffort,
               .tries = triesFor(scenario.layout),
               .threads = bench.threads()}) {}

Result<std::vector<TriedChange>> MemoryFixSearch::singles(const Question& question) {
    search_.before = distanceOf(memory_);
    return findChanges(question, catalogue(question, scenario_), judge(), search_, watch_);
}

/// More hardware last: where nothing else makes it fit.
Result<std::optional<TriedChange>> MemoryFixSearch::combined(const Question& question,
                                                             const TriedChange& first) {
    if (first.group() != FixGroup::Buy) {
        FABRICAST_ASSIGN(std::optional<TriedChange> kept, onTheseGpus(question, first));
        if (kept) {
            return kept;
        }
    }
    search_.tries = triesFor(scenario_.layout);
    return findChain(question, first, &catalogue, judge(), search_, watch_);
}

Result<std::optional<TriedChange>> MemoryFixSearch::onTheseGpus(const Question& question,
                                                                const TriedChange& first) {
    const Judge sure = [this](const Question& changed, double /*enough*/) {
        return judgedSurely(changed);
    };
    FABRICAST_ASSIGN(const Question changed, with(question, first.edits()));
    FABRICAST_ASSIGN(Judgement judgement, judgedSurely(changed));
    search_.tries = triesFor(scenario_.layout);
    FABRICAST_ASSIGN(std::optional<TriedChange> made,
                     findChain(question,
                               {.changes = first.changes, .judgement = std::move(judgement)},
                               &keepingHardware,
                               sure,
                               search_,
                               watch_));
    if (made) {
        FABRICAST_TRY(dropNeedless(question, *made));
        return made;
    }
    search_.tries = triesFor(scenario_.layout);
    return findChain(question, first, &keepingHardware, judge(), search_, watch_);
}

Result<void> MemoryFixSearch::dropNeedless(const Question& question, TriedChange& made) const {
    for (std::size_t place = 1; place < made.changes.size();) {
        FABRICAST_TRY(watch_.check());
        TriedChange fewer{.changes = made.changes, .judgement = {}};
        fewer.changes.erase(fewer.changes.begin() + static_cast<std::ptrdiff_t>(place));
        const Result<Question> changed = with(question, fewer.edits());
        Result<Judgement> judgement =
            changed ? judgedSurely(*changed) : tl::unexpected(changed.error());
        if (judgement && judgement->reaches) {
            fewer.judgement = *std::move(judgement);
            made = std::move(fewer);
        } else {
            ++place;
        }
    }
    return {};
}

Result<std::vector<TriedChange>> MemoryFixSearch::trainings(const Question& question) {
    std::vector<TriedChange> found;
    for (const Change& change :
         changesFor(Aim::Training,
                    {.question = question, .now = scenario_, .stacks = {scenario_.stack}})) {
        search_.before = distanceOf(memory_);
        search_.tries = triesFor(scenario_.layout);
        FABRICAST_ASSIGN(const std::vector<TriedChange> alone,
                         findChanges(question, {change}, judge(), search_, watch_));
        if (alone.empty()) {
            continue;  // the stack has it not, or it is that already
        }
        FABRICAST_ASSIGN(std::optional<TriedChange> made, combined(question, alone.front()));
        if (made) {
            found.push_back(*std::move(made));
        }
    }
    return found;
}

Judge MemoryFixSearch::judge() const {
    return [this](const Question& changed, double enough) { return judged(changed, enough); };
}

Result<Judgement> MemoryFixSearch::judged(const Question& changed, double enough) const {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(changed.root, bench_.profiles(), changed.folders));
    FABRICAST_TRY(checkOrder(loaded.scenario));
    const auto most = Bytes(static_cast<std::int64_t>(enough));
    double peak = 0.0;
    if (loaded.scenario.layout.offload == Offload::None) {
        FABRICAST_ASSIGN(const Bytes device, peakOfFullestStage(loaded.scenario, most, watch_));
        peak = bytes(device);
    } else {
        FABRICAST_ASSIGN(const MemoryBreakdown memory,
                         memoryOfFullestStage(loaded.scenario, kNoLimit, watch_));
        peak = distanceOf(memory);
    }
    Judgement judgement{.distance = peak, .reaches = peak <= bytes(memory_.room())};
    judgement.plan.scenario = std::move(loaded.scenario);
    return judgement;
}

Result<Judgement> MemoryFixSearch::judgedSurely(const Question& changed) const {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(changed.root, bench_.profiles(), changed.folders));
    FABRICAST_TRY(checkOrder(loaded.scenario));
    FABRICAST_ASSIGN(const MemoryBreakdown memory,
                     memoryOfFullestStage(loaded.scenario, kNoLimit, watch_));
    const bool isShort = memory.ofNode().verdict() == Verdict::DoesNotFit;
    Judgement judgement{.distance = distanceOf(memory),
                        .reaches = memory.onDevice == Verdict::Fits && !isShort};
    judgement.plan.scenario = std::move(loaded.scenario);
    return judgement;
}

}  // namespace fabricast
