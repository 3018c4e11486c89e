#include "planner/estimate/model_time.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/ends.h"
#include "planner/ops/layer_segment.h"
#include "planner/ops/megatron_ends.h"
#include "planner/ops/megatron_prediction.h"

#include <algorithm>

namespace fabricast {

namespace {

SegmentTime operator*(SegmentTime time, double factor) {
    for (PassTime* pass : {&time.forward, &time.recompute, &time.input, &time.weight}) {
        pass->device = pass->device * factor;
        pass->launches *= factor;
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

Result<ModelTime> modelTime(const Scenario& scenario, const KernelProfile& kernels) {
    ModelTime model;
    model.embedding = segmentTime(scenario, embeddingSegment(scenario), {}, kernels);
    model.norm = segmentTime(scenario, finalNormSegment(scenario), {}, kernels);
    model.head = headTime(scenario, kernels);
    const SegmentSetting layer{.checkpoint = scenario.settings.recompute.kind, .layer = true};
    for (const bool sparse : {false, true}) {
        for (std::int64_t i = 0; i < scenario.model.layers; ++i) {
            if (scenario.model.isSparse(i) == sparse) {
                // The first layer's input may be frozen: any other stands for them all.
                FABRICAST_ASSIGN(const OpList list, layerSegment(scenario, i));
                SegmentTime& time = sparse ? model.sparse : model.dense;
                time = segmentTime(scenario, list, layer, kernels);
                if (i > 0) {
                    break;
                }
            }
        }
    }
    return model;
}

}  // namespace fabricast
