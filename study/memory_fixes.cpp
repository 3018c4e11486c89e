#include "planner/base/quantity_text.h"
#include "planner/estimate/offload_time.h"
#include "planner/memory/stage_memory.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/fixes.h"
#include "study/growing_segments.h"
#include "study/memory_fix_search.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostFixes = 5;
constexpr std::size_t kMostLookedAt = 8;

/// Of edits of one key the last, in the order of the first.
std::vector<Edit> lastOfEach(const std::vector<Edit>& edits) {
    std::vector<Edit> kept;
    for (const Edit& edit : edits) {
        const auto before = std::ranges::find(kept, edit.path, &Edit::path);
        if (before == kept.end()) {
            kept.push_back(edit);
        } else {
            *before = edit;
        }
    }
    return kept;
}

Fix memoryFixOf(const MemoryBreakdown& after) {
    const HostNeed& need = after.ofNode();
    return {.peakAfter = after.peak.value,
            .hostAfter = after.host.perNode,
            .verdict = after.verdict,
            .onDevice = after.onDevice,
            .needs = need.isUnknown() ? shortText(need.perNode) + " of " + std::string(need.what)
                                      : std::string()};
}

/// What is held, and the edits.
std::vector<Edit> heldWith(const std::vector<Edit>& held, const std::vector<Edit>& edits) {
    std::vector<Edit> both = held;
    both.insert(both.end(), edits.begin(), edits.end());
    return both;
}

/// A pipeline that has fewer microbatches than stages also holds fewer at once: part of what is
/// saved is paid for with ranks that wait.
std::string pipelineEffect(const Scenario& before, const Scenario& after) {
    const std::int64_t count = after.microBatches();
    const bool isEmptier = after.layout.pp > 1 && count < after.layout.pp * after.layout.vpp &&
                           count < before.microBatches();
    return isEmptier
               ? "; " + std::to_string(count) + (count == 1 ? " microbatch" : " microbatches") +
                     " in place of " + std::to_string(before.microBatches()) + " for " +
                     std::to_string(after.layout.pp) + " stages: fewer in flight, more bubble"
               : std::string();
}

/// Its memory is forecast and its time may not be: who waits for a step has to know.
std::string untimedEffect(const Scenario& before, const Scenario& after) {
    return checkOffload(before) && !checkOffload(after) ? "; its step time is not forecast" : "";
}

/// Its numbers are those that `explain` has of the changed question. What is typed holds the
/// batch only where the change would be of another one.
Result<Fix> checkedFix(const TriedChange& tried,
                       const std::vector<Edit>& held,
                       const Scenario& scenario,
                       const Question& question,
                       const Workbench& bench,
                       const Watch& watch) {
    const Scenario& changedScenario = tried.judgement.plan.scenario;
    FABRICAST_ASSIGN(const MemoryBreakdown after,
                     memoryOfFullestStage(changedScenario, kNoLimit, watch));
    Fix fix = memoryFixOf(after);
    fix.sideEffect = sideEffectsOf(tried.changes) + pipelineEffect(scenario, changedScenario) +
                     untimedEffect(scenario, changedScenario);
    const std::vector<Edit> edits = lastOfEach(tried.edits());
    fix.change = layoutTitleOf({.edits = edits, .sideEffect = ""});
    fix.edits = heldWith(held, edits);
    FABRICAST_ASSIGN(const Question changed, with(question, edits));
    const Result<LoadedScenario> alone =
        loadScenario(changed.root, bench.profiles(), changed.folders);
    const std::int64_t batch = changedScenario.workload.globalBatch;
    const bool keepsBatch = alone && alone->scenario.workload.globalBatch == batch;
    const std::vector<Edit>& needed = keepsBatch ? edits : fix.edits;
    fix.typed = typed(needed);
    fix.behind = typedBehind(question, needed);
    return fix;
}

/// More of what nobody lacks: the same verdict, and as much on GPUs and hosts.
bool isOfNoUse(const Fix& fix, const MemoryBreakdown& before) {
    return fix.verdict >= before.verdict && fix.peakAfter >= before.peak.value &&
           fix.hostAfter >= before.host.perNode;
}

/// What keeps to the hardware and the training, then another training, then other hardware, and
/// last what is unlikely to fit.
int placeOfFix(const Fix& fix) {
    const auto edits = [&fix](auto isOne) { return std::ranges::any_of(fix.edits, isOne); };
    const bool isBought = edits([](const Edit& edit) { return edit.path.starts_with("cluster."); });
    const bool isOtherTraining = edits([](const Edit& edit) {
        return edit.path == "settings.tuning" || edit.path == "workload.precision";
    });
    constexpr int kTraining = 2;
    constexpr int kBought = 4;
    const int verdict = static_cast<int>(fix.verdict);
    if (fix.verdict > Verdict::Likely) {
        return kBought + verdict;
    }
    return isBought ? kBought : isOtherTraining ? kTraining + verdict : verdict;
}

bool offloads(const Fix& fix) {
    return std::ranges::any_of(fix.edits,
                               [](const Edit& edit) { return edit.path == "layout.offload"; });
}

/// Whether all weights are trained on a few GPUs, and nothing that keeps to both is enough, but for
/// what crosses to the host.
bool needsOtherTraining(const Scenario& scenario, const std::vector<Fix>& fixes) {
    constexpr std::int64_t kFewGpus = 8;
    return scenario.settings.tuning == Tuning::Full && scenario.layout.world() <= kFewGpus &&
           std::ranges::none_of(fixes, [](const Fix& fix) {
               return placeOfFix(fix) <= static_cast<int>(Verdict::Likely) && !offloads(fix);
           });
}

/// Where a change fits, one that does not shows how near the others come.
void keepOneThatFails(std::vector<Fix>& fixes) {
    const auto fails = [](const Fix& fix) { return fix.verdict == Verdict::DoesNotFit; };
    const auto first = std::ranges::find_if(fixes, fails);
    if (first != fixes.begin() && first != fixes.end()) {
        fixes.erase(std::remove_if(first + 1, fixes.end(), fails), fixes.end());
    }
}

/// The nearest single change, where none but other hardware is enough by itself: with others on the
/// GPUs that there are it may be. Nothing where one is.
const TriedChange* firstOfSeveral(const std::vector<TriedChange>& found) {
    const auto keeps = [](const TriedChange& one) { return one.group() != FixGroup::Buy; };
    const auto nearest = std::ranges::find_if(found, keeps);
    const bool isOne = std::ranges::any_of(
        found, [&keeps](const TriedChange& one) { return keeps(one) && one.judgement.reaches; });
    if (isOne || found.empty()) {
        return nullptr;
    }
    if (nearest != found.end()) {
        return &*nearest;
    }
    return found.front().judgement.reaches ? nullptr : &found.front();
}

Result<std::vector<Fix>> fixesOf(const MemoryBreakdown& memory,
                                 const Scenario& scenario,
                                 const Question& question,
                                 const Workbench& bench,
                                 const Watch& watch) {
    const std::vector<Edit> held = heldBatch(question, scenario.workload.globalBatch);
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    MemoryFixSearch search(memory, scenario, bench, watch);
    FABRICAST_ASSIGN(const std::vector<TriedChange> found, search.singles(asked));
    std::vector<Fix> fixes;
    if (const TriedChange* const first = firstOfSeveral(found)) {
        FABRICAST_ASSIGN(const std::optional<TriedChange> combined, search.combined(asked, *first));
        if (combined) {
            FABRICAST_ASSIGN(Fix fix,
                             checkedFix(*combined, held, scenario, question, bench, watch));
            fixes.push_back(std::move(fix));
        }
    }
    for (const TriedChange& tried : found) {
        if (fixes.size() < kMostLookedAt) {
            FABRICAST_TRY(watch.check());
            FABRICAST_ASSIGN(Fix fix, checkedFix(tried, held, scenario, question, bench, watch));
            if (!isOfNoUse(fix, memory)) {
                fixes.push_back(std::move(fix));
            }
        }
    }
    if (needsOtherTraining(scenario, fixes)) {
        FABRICAST_ASSIGN(const std::vector<TriedChange> trainings, search.trainings(asked));
        for (const TriedChange& tried : trainings) {
            FABRICAST_ASSIGN(Fix fix, checkedFix(tried, held, scenario, question, bench, watch));
            const bool isNew = std::ranges::none_of(
                fixes, [&fix](const Fix& one) { return one.typed == fix.typed; });
            if (isNew && !isOfNoUse(fix, memory)) {
                fixes.push_back(std::move(fix));
            }
        }
    }
    putSurestFirst(fixes);
    keepOneThatFails(fixes);
    fixes.resize(std::min(fixes.size(), kMostFixes));
    return fixes;
}

/// Where the tensors fit and only what the allocator holds back may not: segments that grow, which
/// leave fewer gaps. Nothing where they make neither the verdict surer nor its worst less.
Result<std::optional<Fix>> lessFragmented(const MemoryBreakdown& memory,
                                          const Scenario& scenario,
                                          const Question& question,
                                          const Workbench& bench) {
    const bool tensorsFit = memory.peak.value <= memory.room();
    auto segments = growingSegments(scenario.settings, "PYTORCH_CUDA_ALLOC_CONF");
    if (!isUnsure(memory.onDevice) || !tensorsFit || !segments) {
        return std::optional<Fix>();
    }
    FABRICAST_ASSIGN(const Question changed, with(question, segments->edits));
    FABRICAST_ASSIGN(const LoadedScenario loaded,
                     loadScenario(changed.root, bench.profiles(), changed.folders));
    FABRICAST_ASSIGN(const MemoryBreakdown after, memoryOfAllStages(loaded.scenario));
    constexpr double kLess = 0.98;
    if (after.onDevice >= memory.onDevice && after.peak.hi / memory.peak.hi > kLess) {
        return std::optional<Fix>();
    }
    Fix fix = memoryFixOf(after);
    fix.change = std::move(segments->change);
    fix.sideEffect = std::move(segments->environment);
    fix.edits = std::move(segments->edits);
    fix.typed = typed(fix.edits);
    fix.behind = typedBehind(question, fix.edits);
    return std::optional(std::move(fix));
}

Rejection deviceRejection(const MemoryBreakdown& memory) {
    const StageMemory& stage = memory.stages[memory.fullest];
    return {
        .bound = Bound::GpuMemory,
        .over = (isUnsure(memory.onDevice) ? memory.unpressed : memory.peak.value) - memory.room(),
        .where = "stage " + std::to_string(stage.stage) + ", " + stage.peakAt,
        .fixes = {}};
}

/// What a node is short of; where that is not known, nothing of all that it needs.
Rejection nodeRejection(Bound bound, const HostNeed& host) {
    return {.bound = bound,
            .over = host.there ? host.perNode - *host.there : Bytes(),
            .where = "",
            .fixes = {}};
}

}  // namespace

void putSurestFirst(std::vector<Fix>& fixes) {
    std::ranges::stable_sort(fixes, {}, &placeOfFix);
}

Result<MemoryBreakdown> withFixes(MemoryBreakdown memory,
                                  const Scenario& scenario,
                                  const Question& question,
                                  const Workbench& bench,
                                  const Watch& watch) {
    if (memory.verdict == Verdict::Fits) {
        return memory;
    }
    std::vector<Rejection> rejections;
    if (memory.onDevice != Verdict::Fits) {
        rejections.push_back(deviceRejection(memory));
    }
    if (memory.host.verdict() != Verdict::Fits) {
        rejections.push_back(nodeRejection(Bound::HostMemory, memory.host));
    }
    if (memory.drives.verdict() != Verdict::Fits) {
        rejections.push_back(nodeRejection(Bound::NvmeSpace, memory.drives));
    }
    FABRICAST_ASSIGN(const std::optional<Fix> segments,
                     lessFragmented(memory, scenario, question, bench));
    // A host that may have enough is no reason to change anything.
    if (memory.onDevice != Verdict::Fits || !memory.ofNode().isUnknown()) {
        FABRICAST_ASSIGN(rejections.front().fixes,
                         fixesOf(memory, scenario, question, bench, watch));
    }
    if (segments) {
        std::vector<Fix>& fixes = rejections.front().fixes;
        fixes.insert(fixes.begin(), *segments);
        fixes.resize(std::min(fixes.size(), kMostFixes));
    }
    memory.rejections = std::move(rejections);
    return memory;
}

}  // namespace fabricast
