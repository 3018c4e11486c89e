#include "planner/sharding/stage_shape.h"

#include "planner/ops/trained_weights.h"
#include "planner/spec/stage_split.h"

#include <algorithm>

namespace fabricast {
namespace {

std::int64_t sparseLayers(const ModelSpec& model, std::int64_t begin, std::int64_t layers) {
    std::int64_t sparse = 0;
    for (std::int64_t layer = begin; layer < begin + layers; ++layer) {
        sparse += model.isSparse(layer) ? 1 : 0;
    }
    return sparse;
}

Result<std::vector<ChunkView>> chunksOf(const Scenario& scenario, std::int64_t stage, bool folded) {
    const Layout& layout = scenario.layout;
    const std::int64_t perRank = folded && layout.pp > 1 ? 2 : layout.vpp;
    FABRICAST_ASSIGN(
        const std::vector<std::int64_t> sizes,
        splitLayers(
            scenario.model.layers,
            {.stages = layout.pp, .chunks = perRank, .pipeline = scenario.settings.pipeline}));
    std::vector<ChunkView> chunks;
    const auto positions = static_cast<std::int64_t>(sizes.size());
    for (std::int64_t position = 0; position < positions; ++position) {
        if (!isOnRank(layout, position, stage)) {
            continue;
        }
        ChunkView chunk;
        chunk.index = static_cast<std::int32_t>(chunks.size());
        chunk.position = position;
        chunk.first = position == 0;
        chunk.last = position + 1 == positions;
        for (std::int64_t before = 0; before < position; ++before) {
            chunk.begin += sizes[static_cast<std::size_t>(before)];
        }
        chunk.layers = sizes[static_cast<std::size_t>(position)];
        chunk.sparse = sparseLayers(scenario.model, chunk.begin, chunk.layers);
        if (const RecomputeSettings& recompute = scenario.settings.recompute;
            recompute.kind == Checkpointing::Block) {
            const std::int64_t again = checkpointedLayers(recompute, chunk.layers);
            chunk.plain = chunk.layers - again;
            chunk.plainSparse = sparseLayers(scenario.model, chunk.begin + again, chunk.plain);
        }
        chunk.predictions =
            chunk.last && isMegatronCode(scenario.settings) ? scenario.model.mtpDepth : 0;
        chunks.push_back(chunk);
    }
    return chunks;
}

/// Ranks that share the states: of the dense part, its copies, and of the experts.
void setShards(StageShape& shape) {
    const Layout& layout = shape.layout();
    const bool titan = shape.settings().kernels.code == ModelCode::TorchTitan;
    if (layout.shard == Shard::None && titan && layout.cp > 1) {
        shape.shards = layout.cp;  // torchtitan shards over cp whatever the data ranks do
        shape.copies = layout.dp;
        shape.shardsContext = true;
        return;
    }
    if (layout.shard == Shard::None && !distributesOptimizer(*shape.scenario)) {
        shape.copies = layout.replicas();
        return;
    }
    shape.shards = layout.shardSize > 0 ? layout.shardSize : layout.replicas();
    const std::int64_t instances = shape.settings().megatron.optimizerInstances;
    if (layout.shardSize == 0 && shape.settings().engine == Engine::Megatron) {
        shape.shards = std::max<std::int64_t>(1, shape.shards / instances);
    }
    shape.copies = layout.replicas() / shape.shards;
    shape.expertShards = std::max<std::int64_t>(1, layout.expertReplicas() / shape.copies);
}

}  // namespace

std::vector<LayerKind> StageShape::kinds(const ChunkView& chunk) const {
    const bool lastIsSparse = model().layers > 0 && model().isSparse(model().layers - 1);
    std::vector<LayerKind> kinds;
    const std::int64_t frozen =
        std::clamp<std::int64_t>(firstTrainedLayer(*scenario) - chunk.begin, 0, chunk.layers);
    if (frozen > 0) {  // of a dense model
        kinds.push_back({.count = frozen, .layer = chunk.begin, .frozen = !recomputes()});
        if (chunk.layers > frozen) {
            kinds.push_back({.count = chunk.layers - frozen, .layer = chunk.begin + frozen});
        }
        return kinds;
    }
    for (const bool sparse : {false, true}) {
        LayerKind kind{.sparse = sparse};
        kind.count = sparse ? chunk.sparse : chunk.layers - chunk.sparse;
        kind.plain = sparse ? chunk.plainSparse : chunk.plain - chunk.plainSparse;
        kind.layer = kind.count > 0 ? chunk.begin : model().layers - 1;
        while (kind.count > 0 && model().isSparse(kind.layer) != sparse) {
            ++kind.layer;
        }
        if (lastIsSparse == sparse) {  // layers like the last one
            kind.count += chunk.predictions;
            kind.plain += settings().recompute.kind == Checkpointing::Block ? chunk.predictions : 0;
        }
        if (kind.count > 0) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

Result<StageShape> stageShape(const Scenario& scenario,
                              std::int64_t stage,
                              std::int64_t tensorRank) {
    StageShape shape{.scenario = &scenario, .stage = stage, .tensorRank = tensorRank};
    shape.folded = isFolded(scenario.layout.schedule);
    FABRICAST_ASSIGN(shape.chunks, chunksOf(scenario, stage, shape.folded));
    setShards(shape);
    return shape;
}

bool isMegatronCode(const Settings& settings) {
    return settings.kernels.code == ModelCode::Megatron ||
           settings.kernels.code == ModelCode::TransformerEngine;
}

bool distributesOptimizer(const Scenario& scenario) {
    return scenario.settings.engine == Engine::Megatron
               ? scenario.settings.megatron.distributedOptimizer
               : scenario.layout.shard != Shard::None;
}

bool isFolded(ScheduleKind schedule) {
    return schedule == ScheduleKind::ZbV || schedule == ScheduleKind::DualPipeV ||
           schedule == ScheduleKind::VHalf || schedule == ScheduleKind::VMin;
}

bool isOnRank(const Layout& layout, std::int64_t chunk, std::int64_t rank) {
    const std::int64_t turn = chunk / layout.pp;
    const std::int64_t along = chunk % layout.pp;
    if (layout.schedule == ScheduleKind::DualPipe) {  // both directions: each rank has two stages
        return along == rank || along == layout.pp - 1 - rank;
    }
    const bool back = isFolded(layout.schedule) && turn % 2 == 1;
    return (back ? layout.pp - 1 - along : along) == rank;
}

}  // namespace fabricast
