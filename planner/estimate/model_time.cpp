#include "planner/estimate/model_time.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/ends.h"
#include "planner/ops/megatron_ends.h"
#include "planner/ops/megatron_prediction.h"

namespace fabricast {

namespace {

SegmentTime operator*(SegmentTime time, double factor) {
    for (PassTime* pass : {&time.forward, &time.recompute, &time.input, &time.weight}) {
        pass->device = pass->device * factor;
        pass->launches *= factor;
        pass->experts *= factor;
    }
    return time;
}

SegmentTime operator+(SegmentTime a, const SegmentTime& b) {
    a.forward += b.forward;
    a.recompute += b.recompute;
    a.input += b.input;
    a.weight += b.weight;
    a.trained += b.trained;
    a.trainedExperts += b.trainedExperts;
    return a;
}

SegmentTime headTime(const Scenario& scenario, const KernelProfile& kernels) {
    const auto time = [&](const OpList& list) { return segmentTime(scenario, list, {}, kernels); };
    if (isMegatronCode(scenario) && scenario.model.mtpDepth > 0) {
        return time(megatronPredictions(scenario));
    }
    if (scenario.settings.kernels.loss == LossKernel::Chunked) {
        const auto chunks = static_cast<double>(scenario.settings.kernels.lossChunks);
        return (time(headChunkSegment(scenario)) + time(lossChunkSegment(scenario))) * chunks;
    }
    return time(headSegment(scenario)) + time(lossSegment(scenario));
}

}  // namespace

ModelTime modelTime(const Scenario& scenario,
                    const LayerOps& layers,
                    const KernelProfile& kernels) {
    ModelTime model;
    model.embedding = segmentTime(scenario, embeddingSegment(scenario), {}, kernels);
    model.norm = segmentTime(scenario, finalNormSegment(scenario), {}, kernels);
    model.head = headTime(scenario, kernels);
    const SegmentSetting layer{.checkpoint = scenario.settings.recompute.kind, .layer = true};
    if (layers.dense) {
        model.dense = segmentTime(scenario, *layers.dense, layer, kernels);
    }
    if (layers.sparse) {
        model.sparse = segmentTime(scenario, *layers.sparse, layer, kernels);
    }
    return model;
}

}  // namespace fabricast
