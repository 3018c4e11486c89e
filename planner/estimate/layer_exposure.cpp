#include "planner/estimate/layer_exposure.h"

#include <algorithm>
#include <optional>

namespace fabricast {

namespace {

LayerExposure exposureOf(const ChunkTime& time, std::int64_t layers) {
    const auto perLayer = [layers](const TimeByPart& parts) {
        const double waited =
            parts.of(TimePart::Tensor) + parts.of(TimePart::Context) + parts.of(TimePart::Expert);
        return waited / static_cast<double>(layers);
    };
    return {perLayer(time.forward), perLayer(time.backward)};
}

bool onlyLayers(const ChunkView& chunk, bool sparse) {
    return !chunk.first && !chunk.last && chunk.predictions == 0 && chunk.layers > 0 &&
           chunk.sparse == (sparse ? chunk.layers : 0);
}

}  // namespace

Result<LayerExposures> layerExposures(const StepContext& context) {
    LayerExposures found;
    bool known[2] = {};
    for (std::int64_t stage = 0; stage < context.scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(const StageView view, stageView(context.scenario, {.stage = stage}));
        std::optional<StageTime> time;
        for (std::size_t i = 0; i < view.chunks.size(); ++i) {
            for (const bool sparse : {false, true}) {
                const ChunkView& chunk = view.chunks[i];
                if (known[sparse ? 1 : 0] || !onlyLayers(chunk, sparse)) {
                    continue;
                }
                if (!time) {
                    FABRICAST_ASSIGN(time, stageTime(context, stage));
                }
                (sparse ? found.sparse : found.dense) = exposureOf(time->chunks[i], chunk.layers);
                known[sparse ? 1 : 0] = true;
            }
        }
        const bool wanted = context.model.sparse.forward.launches > 0;
        if (known[0] && (known[1] || !wanted)) {
            break;
        }
    }
    return found;
}

}  // namespace fabricast
