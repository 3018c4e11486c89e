#include "planner/estimate/stage_times.h"

#include <algorithm>
#include <cstddef>

namespace fabricast {

namespace {

bool alike(const ChunkView& a, const ChunkView& b) {
    return a.first == b.first && a.last == b.last && a.layers == b.layers && a.sparse == b.sparse &&
           a.predictions == b.predictions;
}

bool alike(const StageView& a, const StageView& b) {
    return std::equal(a.chunks.begin(),
                      a.chunks.end(),
                      b.chunks.begin(),
                      b.chunks.end(),
                      [](const ChunkView& x, const ChunkView& y) { return alike(x, y); });
}

}  // namespace

Result<std::vector<StageTime>> stageTimes(const StepContext& context) {
    const std::int64_t count = context.scenario.layout.pp;
    std::vector<StageTime> times;
    std::vector<StageView> views;
    for (std::int64_t stage = 0; stage < count; ++stage) {
        FABRICAST_ASSIGN(StageView view, stageView(context.scenario, {.stage = stage}));
        // The pipeline's ends hand nothing over to one side: they stand for themselves.
        const bool inside = stage > 1 && stage + 1 < count;
        const auto known =
            inside ? std::find_if(views.begin() + 1,
                                  views.end(),
                                  [&view](const StageView& other) { return alike(other, view); })
                   : views.end();
        if (known != views.end()) {
            times.push_back(times[static_cast<std::size_t>(known - views.begin())]);
        } else {
            FABRICAST_ASSIGN(StageTime time, stageTime(context, view));
            times.push_back(std::move(time));
        }
        views.push_back(std::move(view));
    }
    return times;
}

}  // namespace fabricast
