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

bool isOffered(const GrowingSegments& segments, const std::vector<Fix>& fixes) {
    const std::string& path = segments.edits.front().path;
    return std::ranges::any_of(fixes, [&path](const Fix& fix) {
        return std::ranges::find(fix.edits, path, &Edit::path) != fix.edits.end();
    });
}

/// Whether the run would have had room without the pieces, and its PyTorch has such segments.
bool wouldFitWhole(const OomAnswer& answer) {
    const MemoryMessage& message = answer.message;
    const bool mayGrow = message.remedy == MemoryMessage::Remedy::Segments;
    if (!mayGrow || !isInPieces(message) || !message.needed()) {
        return false;
    }
    const Bytes room = message.capacity.value_or(answer.forecast->capacity) -
                       notableOthers(message).value_or(Bytes());
    return *message.needed() <= room;
}

}  // namespace

std::optional<GrowingSegments> growingSegments(const Settings& settings, std::string_view options) {
    GrowingSegments segments;
    const auto add = [&segments](std::string path, std::string value) {
        segments.change += (segments.change.empty() ? "" : " and ") + path + "=" + value;
        segments.edits.push_back({std::move(path), std::move(value), "--set"});
    };
    if (settings.allocator == AllocatorKind::Default) {
        add("settings.allocator", "expandable_segments");
    }
    if (settings.maxSplitMb > 0) {
        add("settings.max_split_size_mb", "0");
    }
    if (segments.edits.empty()) {
        return std::nullopt;
    }
    segments.environment = std::string(options) + "=expandable_segments:True" +
                           (settings.maxSplitMb > 0 ? " alone" : "");
    return segments;
}

Result<void> addGrowingSegments(const Question& question,
                                const OomAnswer& answer,
                                const Workbench& bench,
                                const Watch& watch,
                                std::vector<Rejection>& rejections) {
    const auto segments = growingSegments(answer.scenario->settings, answer.message.options);
    if (rejections.empty() || !segments || isOffered(*segments, rejections.front().fixes) ||
        !wouldFitWhole(answer)) {
        return {};
    }
    FABRICAST_ASSIGN(const Question changed, with(question, segments->edits));
    FABRICAST_ASSIGN(const LoadedScenario loaded,
                     loadScenario(changed.root, bench.profiles(), changed.folders));
    FABRICAST_ASSIGN(const MemoryBreakdown explained, memoryOfAllStages(loaded.scenario, watch));
    if (explained.verdict == Verdict::DoesNotFit) {
        return {};  // what the message counts is a part of what the step takes
    }
    const double needed = static_cast<double>(answer.message.needed()->count());
    Fix fix{.change = segments->change,
            .peakAfter = Bytes(std::llround(needed / answer.overForecast)),
            .hostAfter = explained.host.perNode,
            .verdict = std::max(Verdict::Likely, explained.verdict),
            .onDevice = std::max(Verdict::Likely, explained.onDevice),
            .sideEffect = segments->environment,
            .edits = segments->edits,
            .typed = typed(segments->edits),
            .behind = typedBehind(question, segments->edits)};
    std::vector<Fix>& fixes = rejections.front().fixes;
    fixes.insert(fixes.begin(), std::move(fix));  // it costs nothing
    putSurestFirst(fixes);
    return {};
}

}  // namespace fabricast
