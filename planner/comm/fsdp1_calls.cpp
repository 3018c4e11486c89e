#include "planner/comm/data_parallel_calls.h"
#include "planner/comm/rank_tensors.h"

namespace fabricast {
namespace {

std::int64_t elementsOf(const std::vector<RankTensor>& tensors) {
    std::int64_t sum = 0;
    for (const RankTensor& tensor : tensors) {
        sum += tensor.elements();
    }
    return sum;
}

/// A flat parameter: the layers of one kind, or everything outside of them.
struct FlatUnit {
    CommPlace place = CommPlace::Block;
    bool sparse = false;
    std::int64_t elements = 0;
    std::int64_t count = 1;
};

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
                  .times = last ? 1 : view.microBatches};
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
        for (const LayerKind& kind : view.kinds(chunk)) {
            addUnit(calls,
                    view,
                    {.sparse = kind.sparse,
                     .elements = elementsOf(layerTensors(view, kind.layer)),
                     .count = kind.count});
        }
        FlatUnit root{.place = CommPlace::Root};
        root.elements += chunk.first ? elementsOf(embeddingTensors(view)) : 0;
        root.elements += chunk.last ? elementsOf(headTensors(view)) : 0;
        addUnit(calls, view, root);
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
