#include "planner/base/integers.h"
#include "planner/comm/engine_calls.h"
#include "planner/sharding/rank_tensors.h"

namespace fabricast {
namespace {

/// A flat parameter: the layers of one kind, or everything outside of them.
struct FlatUnit {
    CommPlace place = CommPlace::Block;
    bool sparse = false;
    bool trained = true;
    std::int64_t elements = 0;
    std::int64_t count = 1;
};

/// Elements of the stored type: a 4-bit base lies four to a bf16 number.
std::int64_t storedElements(const StageView& view, const RankTensor& tensor) {
    const bool packed = !tensor.trained && !tensor.vector && tensor.part != Part::Embedding &&
                        tensor.part != Part::Head && tensor.part != Part::Router &&
                        !tensor.isExpert();
    const Dtype base = view.settings().lora.base;
    if (packed && base == Dtype::Nf4) {
        return (tensor.elements() + 3) / 4;
    }
    return packed && base == Dtype::Int8 ? (tensor.elements() + 1) / 2 : tensor.elements();
}

/// Frozen weights and adapters are flattened apart.
void addTensors(std::vector<FlatUnit>& units,
                const StageView& view,
                FlatUnit unit,
                const std::vector<RankTensor>& tensors) {
    for (const bool trained : {true, false}) {
        unit.trained = trained;
        unit.elements = 0;
        for (const RankTensor& tensor : tensors) {
            unit.elements += tensor.trained == trained ? storedElements(view, tensor) : 0;
        }
        if (unit.elements > 0) {
            units.push_back(unit);
        }
    }
}

std::vector<FlatUnit> flatUnits(const StageView& view, const ChunkView& chunk) {
    std::vector<FlatUnit> units;
    for (const LayerKind& kind : view.kinds(chunk)) {
        addTensors(units,
                   view,
                   {.sparse = kind.sparse, .count = kind.count},
                   layerTensors(view, kind.layer));
    }
    std::vector<RankTensor> root = chunk.first ? embeddingTensors(view) : std::vector<RankTensor>{};
    if (chunk.last) {
        const std::vector<RankTensor> head = headTensors(view);
        root.insert(root.end(), head.begin(), head.end());
    }
    addTensors(units, view, {.place = CommPlace::Root}, root);
    return units;
}

// SHARD_GRAD_OP keeps what forward gathered, and under no_sync does so until the last micro-batch;
// the root is kept from forward to backward in any case.
void addUnit(Calls& calls, const StageView& view, const FlatUnit& unit) {
    const TorchSettings& torch = view.settings().torch;
    const bool last = torch.sync == GradientSync::LastMicroBatch;
    const std::int64_t padded = roundUp(unit.elements, view.shards);
    CommCall call{.group = view.shards > 1 ? GroupKind::Shard : GroupKind::DataContext,
                  .op = view.shards > 1 ? CommOp::ReduceScatter : CommOp::AllReduce,
                  .type = view.reduce,
                  .phase = CommPhase::Backward,
                  .use = CommUse::GradientReduce,
                  .place = unit.place,
                  .sparse = unit.sparse,
                  .elements = padded,
                  .parts = unit.count,
                  .times = !unit.trained ? 0
                           : last        ? 1
                                         : view.microBatches};
    add(calls, call);
    if (view.shards == 1) {
        return;
    }
    if (view.copies > 1) {
        call.group = GroupKind::Replicate;
        call.op = CommOp::AllReduce;
        call.elements = padded / view.shards;
        add(calls, call);
    }
    call.group = GroupKind::Shard;
    call.op = CommOp::AllGather;
    call.type = view.compute;
    call.use = CommUse::ParameterGather;
    call.elements = padded;
    call.phase = CommPhase::Forward;
    call.times = torch.shardGradOp && last ? 1 : view.microBatches;
    add(calls, call);
    call.phase = CommPhase::Backward;
    call.times = torch.shardGradOp || unit.place == CommPlace::Root ? 0 : view.microBatches;
    add(calls, call);
}

}  // namespace

Calls fsdp1Calls(const StageView& view) {
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        for (const FlatUnit& unit : flatUnits(view, chunk)) {
            addUnit(calls, view, unit);
        }
    }
    if (view.shards > 1) {
        add(calls,
            {.group = GroupKind::Shard,
             .type = WireType::Fp32,
             .phase = CommPhase::Clip,
             .elements = 1});
    }
    return calls;
}

}  // namespace fabricast
