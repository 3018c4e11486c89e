#include "planner/comm/data_parallel_calls.h"
#include "planner/comm/zero3_gathers.h"
#include "planner/comm/zero_buckets.h"

#include <map>
#include <utility>

namespace fabricast {
namespace {

CommCall gatherCall(const StageView& view, CommPhase phase, std::int64_t elements) {
    return {.op = CommOp::AllGather,
            .type = wireType(view.settings().precision.parameters),
            .phase = phase,
            .use = CommUse::ParameterGather,
            .place = CommPlace::Block,
            .elements = elements,
            .times = view.microBatches};
}

void addGathers(Calls& calls, const StageView& view, const ModelWeights& model) {
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    const Zero3Step step = zero3Step(model,
                                     moduleTrace(model, view.recomputes()),
                                     {.ranks = view.shards,
                                      .microBatches = view.microBatches,
                                      .prefetchBucket = zero.prefetchBucket,
                                      .persistenceThreshold = zero.persistenceThreshold,
                                      .maxLive = zero.maxLive,
                                      .maxReuse = zero.maxReuse});
    std::map<std::pair<CommPhase, std::int64_t>, std::int64_t> alike;
    for (const Zero3Gather& gather : step.first) {
        ++alike[{gather.phase, gather.elements}];
    }
    for (const Zero3Gather& gather : step.other) {
        alike[{gather.phase, gather.elements}] += view.microBatches - 1;
    }
    for (const auto& [key, count] : alike) {
        CommCall call = gatherCall(view, key.first, key.second);
        const bool even = count % view.microBatches == 0;
        call.times = even ? view.microBatches : 1;
        call.parts = count / call.times;
        add(calls, call);
    }
}

/// Small weights are not freed until the optimizer has changed them, and then gathered one by one.
void addPersistent(Calls& calls, const StageView& view, const ModelWeights& model) {
    std::map<std::int64_t, std::int64_t> alike;
    for (const RankTensor& tensor : model.tensors) {
        if (tensor.elements() <= view.settings().deepspeed.persistenceThreshold) {
            ++alike[roundUp(tensor.elements(), view.shards)];
        }
    }
    for (const auto& [elements, count] : alike) {
        CommCall call = gatherCall(view, CommPhase::Optimizer, elements);
        call.parts = count;
        call.times = 1;
        add(calls, call);
    }
}

}  // namespace

Calls zero3Calls(const StageView& view) {
    const ModelWeights model = modelWeights(view);
    Calls calls;
    addGathers(calls, view, model);
    const std::int64_t limit = view.settings().deepspeed.reduceBucket;
    for (const ZeroBucket& bucket : zeroBuckets(model, gradientOrder(model), limit)) {
        std::int64_t padded = 0;
        for (const std::size_t weight : bucket.weights) {
            padded += roundUp(model.tensors[weight].elements(), view.shards);
        }
        add(calls,
            {.op = CommOp::ReduceScatter,
             .type = view.reduce,
             .phase = CommPhase::Backward,
             .use = CommUse::GradientReduce,
             .place = CommPlace::Buckets,
             .elements = padded,
             .times = view.microBatches});
    }
    addPersistent(calls, view, model);
    add(calls, {.type = WireType::Fp64, .phase = CommPhase::Optimizer, .elements = 1});
    return calls;
}

}  // namespace fabricast
