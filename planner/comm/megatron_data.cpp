#include "planner/base/checked.h"
#include "planner/comm/engine_calls.h"
#include "planner/sharding/megatron_buffers.h"

#include <iterator>
#include <vector>

namespace fabricast {
namespace {

bool isDistributed(const StageView& view) {
    return distributesOptimizer(*view.scenario);
}

bool expertsApart(const StageView& view) {
    return view.model().moe.has_value() && view.layout().ep > 1;
}

/// Over whom one buffer's gradients are reduced, and their copies.
struct BufferGroups {
    GroupKind all = GroupKind::DataContext;
    GroupKind shard = GroupKind::Shard;
    GroupKind copies = GroupKind::Replicate;
    std::int64_t ranks = 1;
    CommPlace place = CommPlace::Buckets;
};

/// For an optimizer that each of its ranks steps a part of.
void addShardedReduce(Calls& calls,
                      const StageView& view,
                      const BufferGroups& groups,
                      const CommCall& bucket) {
    CommCall reduce = bucket;
    if (!view.settings().megatron.reduceScatter) {
        reduce.group = groups.all;
        add(calls, reduce);
        return;
    }
    reduce.op = CommOp::ReduceScatterCoalesced;
    reduce.group = groups.shard;
    add(calls, reduce);
    if (view.copies > 1) {
        reduce.op = CommOp::AllReduceCoalesced;
        reduce.group = groups.copies;
        reduce.elements = bucket.elements / groups.ranks;
        add(calls, reduce);
    }
}

void addBucket(Calls& calls,
               const StageView& view,
               const BufferGroups& groups,
               const CommCall& bucket) {
    const MegatronSettings& megatron = view.settings().megatron;
    CommCall reduce = bucket;
    reduce.phase = megatron.overlapGradReduce ? CommPhase::Backward : CommPhase::Other;
    if (!isDistributed(view)) {
        reduce.group = groups.all;
        add(calls, reduce);
        return;
    }
    addShardedReduce(calls, view, groups, reduce);
    // Dense weights and experts have an optimizer each, and each of the two gathers every buffer.
    CommCall gather = bucket;
    gather.op = CommOp::AllGatherCoalesced;
    gather.group = groups.shard;
    gather.type = wireType(view.settings().precision.parameters);
    gather.use = CommUse::ParameterGather;
    gather.phase = megatron.overlapParamGather ? CommPhase::Forward : CommPhase::Optimizer;
    gather.each = megatron.overlapParamGather || !expertsApart(view) ? 1 : 2;
    add(calls, gather);
}

void addBuffer(Calls& calls,
               const StageView& view,
               const ChunkView& chunk,
               const BufferGroups& groups,
               const MegatronBuffer& buffer) {
    std::vector<std::int64_t> sizes;
    for (const MegatronBuffer::Bucket& bucket : buffer.buckets()) {
        sizes.push_back(bucket.elements());
    }
    if (chunk.index > 0) {  // later chunks: one launch for all
        sizes = {buffer.elements()};
    }
    for (const std::int64_t elements : sizes) {
        addBucket(calls,
                  view,
                  groups,
                  {.op = CommOp::AllReduceCoalesced,
                   .type = view.reduce,
                   .use = CommUse::GradientReduce,
                   .place = groups.place,
                   .chunk = chunk.index,
                   .elements = elements});
    }
}

bool isNorm(const RankTensor& tensor) {
    return tensor.part == Part::Attention && tensor.vector && tensor.split == Split::Replicated;
}

/// Norms inside attention see their own heads only; everything else that all ranks hold sees a part
/// of the sequence, when that is split.
std::int64_t sharedElements(const StageView& view, const std::vector<RankTensor>& tensors) {
    std::int64_t elements = 0;
    for (const RankTensor& tensor : tensors) {
        const bool counts = tensor.trained && tensor.split == Split::Replicated &&
                            tensor.part != Part::Position && (view.shape.sp || isNorm(tensor));
        elements += counts ? tensor.elements() : 0;
    }
    return elements;
}

/// One all-reduce of all of them at the end.
CommCall sharedGradients(const StageView& view) {
    std::int64_t elements = 0;
    for (const ChunkView& chunk : view.chunks) {
        for (const LayerKind& kind : view.kinds(chunk)) {
            elements += kind.count * sharedElements(view, layerTensors(view, kind.layer));
        }
        elements += chunk.last ? sharedElements(view, headTensors(view)) : 0;
        if (chunk.predictions > 0) {
            elements += chunk.predictions * sharedElements(view, predictionTensors(view));
        }
    }
    return {.group = GroupKind::Tensor,
            .type = view.reduce,
            .use = CommUse::SharedGradient,
            .elements = view.layout().tp > 1 ? elements : 0};
}

}  // namespace

Calls megatronBufferCalls(const StageView& view, const ChunkView& chunk) {
    const MegatronWeights weights = megatronWeights(view, chunk);
    Calls calls;
    addBuffer(calls,
              view,
              chunk,
              {.ranks = view.shards},
              MegatronBuffer(weights.dense, bucketRules(view, chunk, false)));
    addBuffer(calls,
              view,
              chunk,
              {.all = GroupKind::ExpertData,
               .shard = GroupKind::ExpertShard,
               .copies = GroupKind::ExpertReplicate,
               .ranks = view.expertShards,
               .place = CommPlace::Experts},
              MegatronBuffer(weights.experts, bucketRules(view, chunk, true)));
    return calls;
}

std::int64_t ownedSlices(const StageView& view) {
    std::int64_t slices = 0;
    for (const ChunkView& chunk : view.chunks) {
        const MegatronWeights weights = megatronWeights(view, chunk);
        slices += saturatingProduct(std::ssize(weights.dense), view.shards) +
                  saturatingProduct(std::ssize(weights.experts), view.expertShards);
    }
    return slices;
}

Calls megatronStepCalls(const StageView& view) {
    const Layout& layout = view.layout();
    Calls calls;
    add(calls, sharedGradients(view));
    const bool end = view.stage == 0 || view.stage == layout.pp - 1;
    if (view.model().tiedEmbeddings && view.pipelined() && end &&
        view.settings().tuning == Tuning::Full) {
        add(calls,
            {.group = GroupKind::Embedding,
             .type = view.reduce,
             .use = CommUse::SharedGradient,
             .place = CommPlace::Embedding,
             .elements = vocabRows(view) * view.model().hidden});
    }
    std::int64_t sparse = 0;
    for (const ChunkView& chunk : view.chunks) {
        sparse += chunk.sparse;
    }
    if (sparse > 0 && view.model().moe->correctionBias) {
        add(calls,
            {.group = GroupKind::Stage,
             .type = wireType(view.settings().precision.parameters),
             .elements = sparse * view.model().moe->experts});
    }
    CommCall norm{.type = WireType::Fp32, .phase = CommPhase::Clip, .elements = 1};
    norm.group = isDistributed(view) ? GroupKind::OptimizerInstance : GroupKind::TensorPipeline;
    add(calls, norm);
    if (!isDistributed(view) && expertsApart(view)) {
        norm.group = GroupKind::ExpertModel;
        add(calls, norm);
    }
    return calls;
}

}  // namespace fabricast
