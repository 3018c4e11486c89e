#include "study/growing_segments.h"

#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "study/fixes.h"
#include "study/oom_causes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kAllocatorKey = "settings.allocator";

bool hasGrowingSegments(const std::vector<Fix>& fixes) {
    return std::ranges::any_of(fixes, [](const Fix& fix) {
        return std::ranges::find(fix.edits, kAllocatorKey, &Edit::path) != fix.edits.end();
    });
}

/// Whether the run would have had room without the pieces, and its PyTorch has such segments.
bool wouldFitWhole(const OomAnswer& answer) {
    const MemoryMessage& message = answer.message;
    const bool mayGrow = message.remedy == MemoryMessage::Remedy::Segments &&
                         answer.scenario->settings.allocator == AllocatorKind::Default;
    if (!mayGrow || !isInPieces(message) || !message.needed()) {
        return false;
    }
    const Bytes room = message.capacity.value_or(answer.forecast->capacity) -
                       notableOthers(message).value_or(Bytes());
    return *message.needed() <= room;
}

}  // namespace

Result<void> addGrowingSegments(const Question& question,
                                const OomAnswer& answer,
                                const Workbench& bench,
                                const Watch& watch,
                                std::vector<Rejection>& rejections) {
    if (rejections.empty() || hasGrowingSegments(rejections.front().fixes) ||
        !wouldFitWhole(answer)) {
        return {};
    }
    std::vector<Edit> edits = {{std::string(kAllocatorKey), "expandable_segments", "--set"}};
    if (answer.scenario->settings.maxSplitMb > 0) {
        edits.push_back({"settings.max_split_size_mb", "0", "--set"});
    }
    FABRICAST_ASSIGN(const Question changed, with(question, edits));
    FABRICAST_ASSIGN(const LoadedScenario loaded,
                     loadScenario(changed.root, bench.profiles(), changed.folders));
    FABRICAST_ASSIGN(const MemoryBreakdown explained, memoryOfAllStages(loaded.scenario, watch));
    const double needed = static_cast<double>(answer.message.needed()->count());
    Fix fix{.change = "settings.allocator=expandable_segments",
            .peakAfter = Bytes(std::llround(needed / answer.overForecast)),
            .hostAfter = explained.host.perNode,
            .verdict = std::max(Verdict::Likely, explained.verdict),
            .onDevice = std::max(Verdict::Likely, explained.onDevice),
            .sideEffect = std::string(answer.message.options) + "=expandable_segments:True",
            .edits = edits,
            .typed = typed(edits),
            .behind = typedBehind(question, edits)};
    std::vector<Fix>& fixes = rejections.front().fixes;
    fixes.insert(fixes.begin(), std::move(fix));  // it costs nothing
    putSurestFirst(fixes);
    return {};
}

}  // namespace fabricast
