#include "planner/estimate/layer_exposure.h"

#include "planner/estimate/exposed_comm.h"

#include <array>
#include <vector>

namespace fabricast {

namespace {

/// What the layers of a chunk wait for in one direction, each.
double exposedOf(const StepContext& context,
                 const ChunkView& chunk,
                 const std::vector<CommCall>& calls,
                 Way way) {
    const SegmentTime& layer = chunk.sparse > 0 ? context.model.sparse : context.model.dense;
    const auto layers = static_cast<double>(chunk.layers);
    PassTime pass = layer.forward;
    if (way == Way::Backward) {
        pass = layer.recompute;
        pass += layer.input;
        pass += layer.weight;
    }
    const double weight = way == Way::Backward ? layer.weight.device.total() : 0.0;
    const CommSeconds waited = exposedComm(
        context.scenario,
        context.software,
        chunkComm(context.scenario, context.software, calls, chunk.index, way, context.clock),
        {.way = way,
         .device = layers * pass.device.total(),
         .attention = layers * pass.device.attention,
         .weight = layers * weight,
         .layers = layers});
    return (waited.tensor + waited.regather + waited.context + waited.expert) / layers;
}

bool onlyLayers(const ChunkView& chunk, bool sparse) {
    return !chunk.first && !chunk.last && chunk.predictions == 0 && chunk.layers > 0 &&
           chunk.sparse == (sparse ? chunk.layers : 0);
}

}  // namespace

Result<LayerExposures> layerExposures(const StepContext& context) {
    LayerExposures found;
    std::array<bool, 2> known{};
    for (std::int64_t stage = 0; stage < context.scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(const StageView view, stageView(context.scenario, {.stage = stage}));
        for (const ChunkView& chunk : view.chunks) {
            const bool sparse = chunk.sparse > 0;
            if (known[sparse ? 1 : 0] || !onlyLayers(chunk, sparse)) {
                continue;
            }
            const std::vector<CommCall> calls = layerCalls(view, chunk);
            (sparse ? found.sparse : found.dense) = {
                exposedOf(context, chunk, calls, Way::Forward),
                exposedOf(context, chunk, calls, Way::Backward)};
            known[sparse ? 1 : 0] = true;
        }
        const bool wanted = context.model.sparse.forward.launches > 0;
        if ((known[0] && !wanted) || (known[0] && known[1])) {
            break;
        }
    }
    return found;
}

}  // namespace fabricast
