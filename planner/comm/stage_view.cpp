#include "planner/comm/stage_view.h"

#include "planner/comm/check_shape.h"
#include "planner/spec/stage_split.h"

#include <algorithm>

namespace fabricast {
namespace {

bool isFoldedSchedule(ScheduleKind schedule) {
    return schedule == ScheduleKind::ZbV || schedule == ScheduleKind::VHalf ||
           schedule == ScheduleKind::VMin || schedule == ScheduleKind::DualPipeV;
}

/// Where the rank's chunks lie: one every pp, or on the way down and on the way up.
std::vector<std::int64_t> positionsOf(const Layout& layout, std::int64_t stage, bool folded) {
    if (folded && layout.pp > 1) {
        return {stage, 2 * layout.pp - 1 - stage};
    }
    std::vector<std::int64_t> positions;
    for (std::int64_t chunk = 0; chunk < layout.vpp; ++chunk) {
        positions.push_back(chunk * layout.pp + stage);
    }
    return positions;
}

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
    for (const std::int64_t position : positionsOf(layout, stage, folded)) {
        ChunkView chunk;
        chunk.index = static_cast<std::int32_t>(chunks.size());
        chunk.position = position;
        chunk.first = position == 0;
        chunk.last = position == static_cast<std::int64_t>(sizes.size()) - 1;
        for (std::int64_t before = 0; before < position; ++before) {
            chunk.begin += sizes[static_cast<std::size_t>(before)];
        }
        chunk.layers = sizes[static_cast<std::size_t>(position)];
        chunk.sparse = sparseLayers(scenario.model, chunk.begin, chunk.layers);
        chunk.predictions =
            chunk.last && isMegatronCode(scenario.settings) ? scenario.model.mtpDepth : 0;
        chunks.push_back(chunk);
    }
    return chunks;
}

/// Ranks that share the states: of the dense part, its copies, and of the experts.
void setShards(StageView& view) {
    const Layout& layout = view.layout();
    const std::int64_t replicas = layout.replicas();
    const bool titan = view.settings().kernels.code == ModelCode::TorchTitan;
    if (layout.shard == Shard::None && titan && layout.cp > 1) {
        view.shards = layout.cp;  // torchtitan shards over cp whatever the data ranks do
        view.copies = layout.dp;
        view.shardGroup = GroupKind::Context;
        view.copyGroup = GroupKind::Data;
        return;
    }
    if (layout.shard == Shard::None) {
        view.copies = replicas;
        return;
    }
    view.shards = layout.shardSize > 0 ? layout.shardSize : replicas;
    view.copies = replicas / view.shards;
    view.expertShards = std::max<std::int64_t>(1, layout.expertReplicas() / view.copies);
}

}  // namespace

std::vector<LayerKind> StageView::kinds(const ChunkView& chunk) const {
    const bool lastIsSparse = model().layers > 0 && model().isSparse(model().layers - 1);
    std::vector<LayerKind> kinds;
    for (const bool sparse : {false, true}) {
        LayerKind kind{.sparse = sparse};
        kind.count = sparse ? chunk.sparse : chunk.layers - chunk.sparse;
        kind.layer = kind.count > 0 ? chunk.begin : model().layers - 1;
        while (kind.count > 0 && model().isSparse(kind.layer) != sparse) {
            ++kind.layer;
        }
        kind.count += lastIsSparse == sparse ? chunk.predictions : 0;  // layers like the last one
        if (kind.count > 0) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

Result<StageView> stageView(const Scenario& scenario, CommRank rank) {
    FABRICAST_TRY(checkShape(scenario));
    const Layout& layout = scenario.layout;
    if (rank.stage < 0 || rank.stage >= layout.pp || rank.tensorRank < 0 ||
        rank.tensorRank >= layout.tp) {
        return fail(Error::Code::BadInput,
                    "rank",
                    "stage " + std::to_string(rank.stage) + " and tensor rank " +
                        std::to_string(rank.tensorRank) + " are not in this layout");
    }
    if (layout.schedule == ScheduleKind::DualPipe && layout.pp > 1) {
        return fail(Error::Code::Unsupported,
                    "layout.schedule",
                    "no stack runs a pipeline in two directions",
                    "schedule=dualpipe_v");
    }
    StageView view{.scenario = &scenario, .rank = rank, .shape = rankShape(scenario)};
    view.folded = isFoldedSchedule(layout.schedule);
    FABRICAST_ASSIGN(view.chunks, chunksOf(scenario, rank.stage, view.folded));
    view.microBatches = scenario.microBatches();
    view.passes = layout.pp > 1 ? scenario.settings.pipeline.passes : view.microBatches;
    view.compute = wireType(scenario.settings.precision.compute);
    view.reduce = wireType(scenario.settings.precision.reduce);
    setShards(view);
    return view;
}

bool isMegatronCode(const Settings& settings) {
    return settings.kernels.code == ModelCode::Megatron ||
           settings.kernels.code == ModelCode::TransformerEngine;
}

WireType wireType(Dtype type) {
    switch (type) {
        case Dtype::Fp32:
            return WireType::Fp32;
        case Dtype::Bf16:
            return WireType::Bf16;
        case Dtype::Fp16:
            return WireType::Fp16;
        case Dtype::Fp8:
            return WireType::Fp8;
        case Dtype::Int8:
        case Dtype::Fp4:
        case Dtype::Nf4:
            return WireType::Uint8;
    }
    return WireType::Bf16;
}

void add(Calls& calls, const CommCall& call) {
    if (call.count() > 0 && call.elements > 0) {
        calls.push_back(call);
    }
}

void append(Calls& calls, const Calls& more) {
    calls.insert(calls.end(), more.begin(), more.end());
}

}  // namespace fabricast
