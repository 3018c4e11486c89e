#include "planner/search/block_costs.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/ends.h"
#include "planner/ops/layer_segment.h"

#include <algorithm>

namespace fabricast {

namespace {

bool writtenInMegatron(const Scenario& scenario) {
    const ModelCode code = scenario.settings.kernels.code;
    return code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
}

/// Norm, head and loss; nothing of ends that are walked in another way.
EndFootprint endOf(const Scenario& scenario) {
    EndFootprint end;
    const bool predicts = writtenInMegatron(scenario) && scenario.model.mtpDepth > 0;
    if (predicts || scenario.settings.kernels.loss == LossKernel::Chunked) {
        return end;
    }
    const SegmentCheckpoint plain{.autocast = scenario.settings.precision.autocast};
    for (const OpList& list :
         {finalNormSegment(scenario), headSegment(scenario), lossSegment(scenario)}) {
        const SegmentFootprint footprint = segmentFootprint(list, plain);
        end.forward = std::max(end.forward, end.kept + footprint.forward);
        end.backward = std::max(end.backward, end.kept + footprint.backward);
        end.kept += footprint.kept;
    }
    return end;
}

Result<BlockCost> costOf(const Scenario& scenario, StepEstimator& estimator) {
    BlockCost cost;
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(cost.time, estimator.blocks(scenario, layers));
    const SegmentCheckpoint checkpoint{.kind = scenario.settings.recompute.kind,
                                       .reentrant = writtenInMegatron(scenario),
                                       .autocast = scenario.settings.precision.autocast};
    if (layers.dense) {
        cost.dense = segmentFootprint(*layers.dense, checkpoint);
    }
    if (layers.sparse) {
        cost.sparse = segmentFootprint(*layers.sparse, checkpoint);
    }
    cost.end = endOf(scenario);
    return cost;
}

}  // namespace

BlockCosts::Key BlockCosts::keyOf(const Candidate& candidate, const Scenario& scenario) const {
    const Layout& layout = scenario.layout;
    const Engine engine = scenario.settings.engine;
    return {layout.microBatch,
            layout.tp,
            layout.cp,
            layout.ep,
            layout.etp,
            space_.families[candidate.family].stack,
            candidate.recompute,
            engine,
            layout.cpKind,
            engine == Engine::DeepSpeed && layout.shard == Shard::Zero3,
            layout.pp > 1,
            layout.sp};
}

const Result<BlockCost>& BlockCosts::of(const Candidate& candidate, const Scenario& scenario) {
    const Key key = keyOf(candidate, scenario);
    const auto known = costs_.find(key);
    return known != costs_.end() ? known->second
                                 : costs_.emplace(key, costOf(scenario, estimator_)).first->second;
}

const Result<ModelTime>& BlockCosts::leastPerSample(const Candidate& candidate,
                                                    const Scenario& scenario) {
    Key key = keyOf(candidate, scenario);
    std::get<0>(key) = 0;  // any size
    std::get<6>(key) = 0;  // any recompute
    auto known = least_.find(key);
    if (known == least_.end()) {
        LeastTimes times{.once = estimator_.leastPerSample(scenario), .again = {}};
        times.again = times.once;
        if (times.again) {
            times.again->dense.recompute = times.again->dense.forward;
            times.again->sparse.recompute = times.again->sparse.forward;
        }
        known = least_.emplace(key, std::move(times)).first;
    }
    const bool again = scenario.settings.recompute.kind == Checkpointing::Full;
    return again ? known->second.again : known->second.once;
}

LayerExposures BlockCosts::exposures(const Candidate& candidate,
                                     const Scenario& scenario,
                                     const ModelTime& time) {
    const Layout& layout = scenario.layout;
    // Where experts lie outside the data ranks these decide how far apart.
    const Stack& stack = *task_.stacks[space_.families[candidate.family].stack].stack;
    const std::int64_t apart = stack.experts == ExpertPlace::DataFirst ? layout.dp : 0;
    const std::pair key{keyOf(candidate, scenario), apart};
    const auto known = exposures_.find(key);
    if (known != exposures_.end()) {
        return known->second;
    }
    if (layout.pp * layout.vpp < 3) {
        return {};  // every chunk is an end of the model too
    }
    const Result<LayerExposures> made = estimator_.exposures(scenario, time);
    return exposures_.emplace(key, made ? *made : LayerExposures{}).first->second;
}

}  // namespace fabricast
