#include "planner/search/time_bound.h"

#include "planner/estimate/offload_time.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/ops/parameters.h"
#include "planner/schedule/span_bounds.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

/// Multiply-adds of one token in a layer, twice.
double flopsOf(const ModelSpec& model, const std::vector<Parameter>& parameters) {
    double sum = 0.0;
    for (const Parameter& parameter : parameters) {
        if (parameter.buffer || !parameter.isMatrix()) {
            continue;
        }
        const bool routed = parameter.part == Part::RoutedExperts && model.moe;
        const double share =
            routed ? static_cast<double>(model.moe->topK) / static_cast<double>(model.moe->experts)
                   : 1.0;
        sum += 2.0 * share * static_cast<double>(parameter.elements());
    }
    return sum;
}

struct Passes {
    double forward = 0.0;
    double backward = 0.0;
    double weight = 0.0;

    void add(const SegmentTime& time, double count) {
        forward += count * time.forward.device.total();
        backward += count * (time.recompute.device.total() + time.input.device.total() +
                             time.weight.device.total());
        weight += count * time.weight.device.total();
    }
    void add(const LayerExposure& exposed, double count) {
        forward += count * exposed.forward;
        backward += count * exposed.backward;
    }
    void wait(const HostCopies& copies) {
        forward = std::max(forward, copies.forward);
        backward = std::max(backward, copies.backward);
    }
};

}  // namespace

TimeBound::TimeBound(const SearchTask& task, const SearchSpace& space, const HostProfile& host)
    : task_(task), space_(space), host_(host), weights_(task.base.model), splits_(task.base.model) {
    const ModelSpec& model = task.base.model;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        flopsOfLayers_ += flopsOf(model, layerParameters(model, layer));
    }
    gpuSamples_ = static_cast<double>(task.base.workload.globalBatch) /
                  static_cast<double>(task.base.cluster.gpus());
}

/// Backward multiplies twice, once for the inputs and once for the weights that are trained. Where
/// experts have a capacity some tokens may be left out.
double TimeBound::fromFlops(const Settings& settings, bool recomputesAll, double perFlop) const {
    const double passes =
        (settings.tuning == Tuning::Full ? 3.0 : 1.0) + (recomputesAll ? 1.0 : 0.0);
    const double capacity = settings.kernels.capacityFactor;
    const double taken = capacity > 0.0 ? std::min(1.0, capacity) : 1.0;
    return flopsOfLayers_ * static_cast<double>(task_.base.workload.sequence) * gpuSamples_ *
           passes * taken * perFlop;
}

double TimeBound::hostStep(const Scenario& scenario) const {
    if (!stepsOnHost(scenario)) {
        return 0.0;
    }
    const WeightCount mean = weights_.ofMeanRank(scenario.layout);
    return hostStepSeconds(scenario, host_, steppedHere(scenario, mean.own, mean.experts));
}

double TimeBound::fromSamples(const Scenario& scenario, const ModelTime& perSample) const {
    const Layout& layout = scenario.layout;
    const auto sparse = static_cast<double>(splits_.sparse(0, task_.base.model.layers));
    const double dense = static_cast<double>(task_.base.model.layers) - sparse;
    Passes all;
    all.add(perSample.embedding, 1.0);
    all.add(perSample.dense, dense);
    all.add(perSample.sparse, sparse);
    all.add(perSample.norm, 1.0);
    all.add(perSample.head, 1.0);
    return (all.forward + all.backward) * static_cast<double>(task_.base.workload.globalBatch) /
               static_cast<double>(layout.dp * layout.pp) +
           hostStep(scenario);
}

Result<FrameworkOrder> TimeBound::orderOf(std::uint32_t stack, const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t count = scenario.microBatches();
    const OrderKey key{stack, layout.schedule, layout.pp, layout.vpp, layout.scheduleGroup, count};
    if (const auto known = orders_.find(key); known != orders_.end()) {
        return known->second;
    }
    FABRICAST_ASSIGN(const FrameworkOrder order, pipelineOrderOf(scenario));
    return orders_.emplace(key, order).first->second;
}

void TimeBound::fillPasses(const Scenario& scenario,
                           const std::vector<std::int64_t>& layers,
                           const BlockTimes& blocks) {
    const bool copied = blocks.copied && scenario.layout.offload != Offload::None;
    const ModelTime& time = blocks.time;
    const double scale = blocks.scale;
    passes_.assign(layers.size() * kPasses, 0.0);
    std::int64_t first = 0;
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
        const std::int64_t count = layers[chunk];
        const std::int64_t routed = splits_.sparse(first, count);
        const auto sparse = static_cast<double>(routed);
        const double dense = static_cast<double>(count) - sparse;
        first += count;
        Passes passes;
        passes.add(time.dense, scale * dense);
        passes.add(blocks.exposed.dense, dense);
        passes.add(time.sparse, scale * sparse);
        passes.add(blocks.exposed.sparse, sparse);
        if (chunk == 0) {
            passes.add(time.embedding, scale);
        }
        if (chunk + 1 == layers.size()) {
            passes.add(time.norm, scale);
            passes.add(time.head, scale);
        }
        if (copied) {
            WeightCount weights = weights_.ofLayers(count - routed, routed);
            weights.own += chunk == 0 ? weights_.embedding() : 0.0;
            weights.own += chunk + 1 == layers.size() ? weights_.head() : 0.0;
            const WeightCount local = ModelWeightCounts::local(weights, scenario.layout);
            passes.wait(hostCopies(scenario, host_, local.own, local.experts));
        }
        passes_[timeIndex(chunk, Pass::Forward)] = passes.forward;
        passes_[timeIndex(chunk, Pass::Backward)] = passes.backward;
        passes_[timeIndex(chunk, Pass::InputGradient)] = passes.backward - passes.weight;
        passes_[timeIndex(chunk, Pass::WeightGradient)] = passes.weight;
    }
}

Result<double> TimeBound::fromBlocks(const Candidate& candidate,
                                     const Scenario& scenario,
                                     const BlockTimes& blocks) {
    const std::uint32_t stack = space_.families[candidate.family].stack;
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, splits_.of(stack, scenario));
    fillPasses(scenario, *layers, blocks);
    const double after = hostStep(scenario);
    if (scenario.layout.pp == 1) {
        double pass = 0.0;
        for (std::size_t chunk = 0; chunk < layers->size(); ++chunk) {
            pass += passes_[timeIndex(chunk, Pass::Forward)] +
                    passes_[timeIndex(chunk, Pass::Backward)];
        }
        return pass * static_cast<double>(scenario.microBatches()) + after;
    }
    FABRICAST_ASSIGN(const FrameworkOrder order, orderOf(stack, scenario));
    return makespanBound(order.kind, order.shape, {.passes = passes_}) + after;
}

}  // namespace fabricast
