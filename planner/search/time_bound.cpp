#include "planner/search/time_bound.h"

#include "planner/estimate/offload_time.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/ops/parameters.h"
#include "planner/schedule/span_bounds.h"

#include <algorithm>
#include <functional>
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

void add(PassFloor& passes, const LayerWait& wait, double count) {
    passes.forward += count * wait.forward;
    passes.backward += count * wait.backward;
}

/// `count` times a segment. Of layers of which only some run `again`, the least is that none does.
void add(PassFloor& passes, const SegmentTime& time, double count, bool again = true) {
    const double recompute = again ? time.recompute.device.total() : 0.0;
    passes.forward += count * time.forward.device.total();
    passes.backward += count * (recompute + time.input.device.total() + time.weight.device.total());
    passes.weight += count * time.weight.device.total();
}

struct LayerCount {
    std::int64_t dense = 0;
    std::int64_t sparse = 0;
    bool again = true;  ///< where they are checkpointed, all of them are
};

/// A microbatch in the layers of a chunk.
PassFloor passOf(const ModelTime& blocks,
                 const LayerWaits& waits,
                 std::int64_t microBatch,
                 LayerCount count) {
    const auto samples = static_cast<double>(microBatch);
    const auto dense = static_cast<double>(count.dense);
    const auto sparse = static_cast<double>(count.sparse);
    PassFloor pass;
    add(pass, blocks.dense, dense, count.again);
    add(pass, waits.dense, samples * dense);
    add(pass, blocks.sparse, sparse, count.again);
    add(pass, waits.sparse, samples * sparse);
    return pass;
}

}  // namespace

TimeBound::TimeBound(const SearchTask& task, const SearchSpace& space, const HostProfile& host)
    : task_(task), space_(space), host_(host), weights_(task.base.model), splits_(task.base.model) {
    const ModelSpec& model = task.base.model;
    allAgain_ = task.rules.fixed.recompute.kind != Checkpointing::Block;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        flopsOfLayers_ += flopsOf(model, layerParameters(model, layer));
    }
    sparseLayers_ = static_cast<double>(splits_.sparse(0, model.layers));
    denseLayers_ = static_cast<double>(model.layers) - sparseLayers_;
    gpuSamples_ = static_cast<double>(task.base.workload.globalBatch) /
                  static_cast<double>(task.base.cluster.gpus());
}

/// Backward multiplies twice, once for the inputs and once for the weights that are trained. Where
/// experts have a capacity some tokens may be left out.
double TimeBound::fromFlops(const Settings& settings, bool recomputesAll, double perFlop) const {
    const double passes = (settings.trainsAll() ? 3.0 : 1.0) + (recomputesAll ? 1.0 : 0.0);
    const double capacity = settings.kernels.capacityFactor;
    const double taken = capacity > 0.0 ? std::min(1.0, capacity) : 1.0;
    return flopsOfLayers_ * static_cast<double>(task_.base.workload.sequence) * gpuSamples_ *
           passes * taken * perFlop;
}

double TimeBound::hostStep(const Scenario& scenario) const {
    if (!stepsOnHost(scenario) || !scenario.settings.trainsAll()) {
        return 0.0;
    }
    const WeightCount mean = weights_.ofMeanRank(scenario.layout, scenario.settings.kernels.code);
    return hostStepSeconds(scenario, host_, steppedHere(scenario, mean.own, mean.experts));
}

/// Samples of a step that each of the mean pipeline's ranks passes on.
double TimeBound::samplesOf(const Layout& layout) const {
    return static_cast<double>(task_.base.workload.globalBatch) /
           static_cast<double>(layout.dp * layout.pp);
}

double TimeBound::fromWaits(const Layout& layout, const LayerWaits& perSample) const {
    const LayerWait& dense = perSample.dense;
    const LayerWait& sparse = perSample.sparse;
    return samplesOf(layout) * (denseLayers_ * (dense.forward + dense.backward) +
                                sparseLayers_ * (sparse.forward + sparse.backward));
}

double TimeBound::fromSamples(const Layout& layout, const ModelTime& perSample) const {
    PassFloor all;
    add(all, perSample.embedding, 1.0);
    add(all, perSample.dense, denseLayers_, allAgain_);
    add(all, perSample.sparse, sparseLayers_, allAgain_);
    add(all, perSample.norm, 1.0);
    add(all, perSample.head, 1.0);
    return (all.forward + all.backward) * samplesOf(layout);
}

double TimeBound::fromPasses(const Layout& layout, const PassFloor& passes) const {
    return (passes.forward + passes.backward) * samplesOf(layout) /
           static_cast<double>(layout.microBatch);
}

double TimeBound::fromBlocks(const Layout& layout, const ModelTime& blocks) const {
    return fromSamples(layout, blocks) / static_cast<double>(layout.microBatch);
}

Result<const FrameworkOrder*> TimeBound::orderOf(const Candidate& candidate,
                                                 const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.pp == 1) {
        return nullptr;
    }
    const std::uint32_t stack = space_.families[candidate.family].stack;
    const std::int64_t count = scenario.microBatches();
    const OrderKey key{stack, layout.schedule, layout.pp, layout.vpp, layout.scheduleGroup, count};
    if (const auto known = orders_.find(key); known != orders_.end()) {
        return &known->second;
    }
    FABRICAST_ASSIGN(const FrameworkOrder order, pipelineOrderOf(scenario));
    return &orders_.emplace(key, order).first->second;
}

void TimeBound::setPass(std::size_t chunk, const PassFloor& pass) {
    passes_[timeIndex(chunk, Pass::Forward)] = pass.forward;
    passes_[timeIndex(chunk, Pass::Backward)] = pass.backward;
    passes_[timeIndex(chunk, Pass::InputGradient)] = pass.backward - pass.weight;
    passes_[timeIndex(chunk, Pass::WeightGradient)] = pass.weight;
}

double TimeBound::pipelined(const FrameworkOrder* order,
                            const Scenario& scenario,
                            SpanTimes<double> times) {
    if (order != nullptr) {
        times.passes = passes_;
        return makespanBound(order->kind, order->shape, times);
    }
    double pass = 0.0;
    for (std::size_t chunk = 0; chunk < passes_.size() / kPasses; ++chunk) {
        pass +=
            passes_[timeIndex(chunk, Pass::Forward)] + passes_[timeIndex(chunk, Pass::Backward)];
    }
    return pass * static_cast<double>(scenario.microBatches());
}

Result<const std::vector<std::int64_t>*> TimeBound::layersOf(const Candidate& candidate,
                                                             const Scenario& scenario) {
    return splits_.of(space_.families[candidate.family].stack, scenario);
}

void TimeBound::setPasses(const std::vector<std::int64_t>& layers,
                          const ModelTime& blocks,
                          const LayerWaits& waits,
                          std::int64_t microBatch) {
    passes_.resize(layers.size() * kPasses);
    std::int64_t first = 0;
    std::int64_t countBefore = -1;
    std::int64_t sparseBefore = -1;
    PassFloor inside;  // most chunks have the layers of the one before
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
        const std::int64_t count = layers[chunk];
        const std::int64_t sparse = splits_.sparse(first, count);
        if (count != countBefore || sparse != sparseBefore) {
            inside = passOf(blocks, waits, microBatch, {count - sparse, sparse, allAgain_});
            countBefore = count;
            sparseBefore = sparse;
        }
        PassFloor pass = inside;
        if (chunk == 0) {
            add(pass, blocks.embedding, 1.0);
        }
        if (chunk + 1 == layers.size()) {
            add(pass, blocks.norm, 1.0);
            add(pass, blocks.head, 1.0);
        }
        setPass(chunk, pass);
        first += count;
    }
}

TimeBound::KnownSpan& TimeBound::spanOf(const Passes& passes) {
    constexpr std::size_t kSpans = 4096;
    constexpr std::size_t kSpread = 31;
    spans_.resize(kSpans);
    const std::hash<const void*> hash;
    return spans_[(hash(passes.blocks) / sizeof(ModelTime) +
                   kSpread * (hash(passes.order) / sizeof(FrameworkOrder))) %
                  kSpans];
}

Result<double> TimeBound::fromOrder(const Candidate& candidate,
                                    const Scenario& scenario,
                                    const ModelTime& blocks,
                                    const LayerWaits& waits) {
    FABRICAST_ASSIGN(const FrameworkOrder* order, orderOf(candidate, scenario));
    const Passes passes{.blocks = &blocks, .order = order, .waits = waits};
    KnownSpan& span = spanOf(passes);
    if (order == nullptr || span.passes != passes) {
        FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, layersOf(candidate, scenario));
        setPasses(*layers, blocks, waits, scenario.layout.microBatch);
        span = {passes, pipelined(order, scenario, {})};
    }
    return span.seconds + hostStep(scenario);
}

Result<double> TimeBound::fromFloor(const Candidate& candidate,
                                    const Scenario& scenario,
                                    const StepFloor& floor) {
    passes_.resize(floor.chunks.size() * kPasses);
    for (std::size_t chunk = 0; chunk < floor.chunks.size(); ++chunk) {
        setPass(chunk, floor.chunks[chunk]);
    }
    FABRICAST_ASSIGN(const FrameworkOrder* order, orderOf(candidate, scenario));
    return floor.around + pipelined(order,
                                    scenario,
                                    {.handOver = floor.sends.near,
                                     .receive = floor.receive,
                                     .far = floor.sends.far,
                                     .siteRanks = floor.siteRanks});
}

}  // namespace fabricast
