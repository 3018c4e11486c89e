#include "planner/search/block_costs.h"

#include "planner/base/integers.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/hf_positions.h"
#include "planner/ops/layer_segment.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

BlockKey keyOf(const Candidate& candidate, const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const Engine engine = scenario.settings.engine;
    return {.microBatch = layout.microBatch,
            .tp = layout.tp,
            .cp = layout.cp,
            .ep = layout.ep,
            .etp = layout.etp,
            .recompute = candidate.recompute,
            .engine = engine,
            .cpKind = layout.cpKind,
            .zero3 = engine == Engine::DeepSpeed && layout.shard == Shard::Zero3,
            .pipelined = layout.pp > 1,
            .sp = layout.sp,
            .savedOnHost = layout.offload == Offload::Activations};
}

/// What is known of a block, or else is found by `work`.
template <class T, class Work>
const T& knownOr(ByBlock<T>& known, const BlockKey& key, const Work& work) {
    const auto found = known.find(key);
    return found != known.end() ? found->second : known.emplace(key, work()).first->second;
}

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
    if (scenario.layout.offload == Offload::Activations) {
        return end;
    }
    const SegmentCheckpoint plain{.autocast = scenario.settings.precision.autocast};
    std::vector<OpList> lists{finalNormSegment(scenario), headSegment(scenario)};
    if (!fusesLoss(scenario)) {
        lists.push_back(lossSegment(scenario));
    }
    for (const OpList& list : lists) {
        const SegmentFootprint footprint = segmentFootprint(list, plain);
        end.forward = std::max(end.forward, end.kept + footprint.forward);
        end.backward = std::max(end.backward, end.kept + footprint.backward);
        end.kept += footprint.kept;
    }
    return end;
}

Result<ModelTime> blockTime(const Scenario& scenario, const StepEstimator& estimator) {
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    return estimator.blocks(scenario, layers);
}

/// Whether layers run the same kernels with everything and with nothing recomputed, but for what
/// runs again: not where what is saved is copied away, where weights are frozen (checkpoints make
/// what they give ask for gradients), where layers of the head are recomputed too, or where tables
/// are cast for layers that run once.
bool runsAlikeAgain(const Scenario& scenario) {
    const bool predicts = writtenInMegatron(scenario) && scenario.model.mtpDepth > 0;
    return scenario.settings.trainsAll() && !predicts && !castsRotaryTables(scenario) &&
           scenario.layout.offload != Offload::Activations;
}

/// The blocks that recompute everything, made of those that recompute nothing, or the reverse.
ModelTime turned(ModelTime time, Checkpointing into) {
    for (SegmentTime* layer : {&time.dense, &time.sparse}) {
        layer->recompute = into == Checkpointing::Full ? layer->forward : PassTime();
    }
    return time;
}

SegmentCheckpoint checkpointOf(const Scenario& scenario) {
    return {.kind = scenario.settings.recompute.kind,
            .reentrant = writtenInMegatron(scenario),
            .autocast = scenario.settings.precision.autocast};
}

/// Layers of one sample and of two.
using LayersOfSamples = std::array<LayerOps, 2>;

/// It leaves the scenario with another micro-batch.
Result<LayersOfSamples> layersOfSamples(Scenario& sized) {
    LayersOfSamples layers;
    for (std::size_t more = 0; more < layers.size(); ++more) {
        sized.layout.microBatch = static_cast<std::int64_t>(more) + 1;
        FABRICAST_ASSIGN(layers[more], layerOps(sized));
    }
    return layers;
}

/// What the second sample adds: what a layer keeps of whatever size cancels out.
LayersKept keptOf(const LayersOfSamples& ofSamples, const SegmentCheckpoint& checkpoint) {
    constexpr double kWholeRows = 0.99;  // rows are shared out whole
    LayersKept kept;
    const auto add = [&checkpoint](const std::optional<OpList>& list, double& sum) {
        const double bytes = list ? asDouble(keptBySegment(*list, checkpoint)) : 0.0;
        sum = std::max(0.0, kWholeRows * bytes - sum);
    };
    for (const LayerOps& layers : ofSamples) {
        add(layers.dense, kept.dense);
        add(layers.sparse, kept.sparse);
    }
    return kept;
}

/// What every layer is sure to take, where they are not alike: of a checkpoint over several layers
/// each has its share of the one input, and those of a chunk that are checkpointed or not have the
/// less of both.
SegmentFootprint leastOf(const OpList& list, const Scenario& scenario) {
    const RecomputeSettings& recompute = scenario.settings.recompute;
    SegmentCheckpoint checkpoint = checkpointOf(scenario);
    SegmentFootprint least = segmentFootprint(list, checkpoint);
    if (recompute.kind == Checkpointing::Full && recompute.layers > 1) {
        least.kept /= recompute.layers;
    }
    if (recompute.kind == Checkpointing::Block) {
        checkpoint.kind = Checkpointing::None;
        const SegmentFootprint plain = segmentFootprint(list, checkpoint);
        least.kept = std::min(least.kept, plain.kept);
        least.forward = std::min(least.forward, plain.forward);
        least.backward = std::min(least.backward, plain.backward);
    }
    return least;
}

Result<BlockCost> costOf(const Scenario& scenario, const Result<ModelTime>& time) {
    BlockCost cost;
    FABRICAST_ASSIGN(cost.time, time);
    if (scenario.layout.offload == Offload::Activations) {  // it lies on the host
        return cost;
    }
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    if (layers.dense) {
        cost.dense = leastOf(*layers.dense, scenario);
    }
    if (!scenario.settings.train.all()) {
        cost.dense.kept = 0;  // by the first layers less than by the last, or nothing
    }
    if (layers.sparse) {
        cost.sparse = leastOf(*layers.sparse, scenario);
    }
    cost.end = endOf(scenario);
    return cost;
}

BlockTable::LeastTimes leastTimes(Scenario& scenario, const StepEstimator& estimator) {
    scenario.settings.recompute = {};
    BlockTable::LeastTimes times{.once = leastPerSample(scenario, estimator.smooth()), .again = {}};
    times.again = times.once;
    if (times.again) {
        times.again->dense.recompute = times.again->dense.forward;
        times.again->sparse.recompute = times.again->sparse.forward;
    }
    return times;
}

}  // namespace

std::size_t BlockKey::Hash::operator()(const BlockKey& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::uint64_t hash = 0;
    const auto add = [&hash](auto value) {
        hash = (hash ^ static_cast<std::uint64_t>(value)) * kOdd;
        hash ^= hash >> 29;
    };
    add(key.microBatch);
    add(key.tp);
    add(key.cp);
    add(key.ep);
    add(key.etp);
    add(key.recompute);
    add(key.engine);
    add(key.cpKind);
    add((key.savedOnHost ? 8 : 0) + (key.zero3 ? 4 : 0) + (key.pipelined ? 2 : 0) +
        (key.sp ? 1 : 0));
    return hash;
}

/// It may be changed, until the next is copied.
Scenario& BlockCosts::copied(const Scenario& scenario) {
    scratch_.stack = scenario.stack;
    scratch_.layout = scenario.layout;
    scratch_.settings = scenario.settings;
    return scratch_;
}

/// Of blocks that recompute nothing those that recompute everything, or the reverse; nothing where
/// the stack has none, or they are not alike.
std::optional<std::uint16_t> BlockCosts::turnedOver(const Candidate& candidate,
                                                    const Scenario& scenario) const {
    const Checkpointing kind = scenario.settings.recompute.kind;
    if ((kind != Checkpointing::None && kind != Checkpointing::Full) || !runsAlikeAgain(scenario)) {
        return std::nullopt;
    }
    const std::vector<RecomputeSettings>& kinds = space_.recomputesOf(candidate.family);
    const auto other =
        std::ranges::find(kinds,
                          kind == Checkpointing::None ? Checkpointing::Full : Checkpointing::None,
                          &RecomputeSettings::kind);
    return other == kinds.end() ? std::nullopt
                                : std::optional(static_cast<std::uint16_t>(other - kinds.begin()));
}

/// The times of those; nullptr where they are not known.
const Result<ModelTime>* BlockCosts::turnedFrom(BlockKey key,
                                                const Candidate& candidate,
                                                const Scenario& scenario) {
    const auto other = turnedOver(candidate, scenario);
    if (!other) {
        return nullptr;
    }
    key.recompute = *other;
    const ByBlock<Result<ModelTime>>& times = tableOf(candidate).times;
    const auto known = times.find(key);
    return known != times.end() && known->second ? &known->second : nullptr;
}

const Result<ModelTime>& BlockCosts::timeOf(const Candidate& candidate, const Scenario& scenario) {
    const BlockKey key = keyOf(candidate, scenario);
    const std::uint32_t stack = space_.families[candidate.family].stack;
    if (last_.time == nullptr || last_.stack != stack || last_.block != key) {
        const auto& time = knownOr(tableOf(candidate).times, key, [&] {
            const Result<ModelTime>* const other = turnedFrom(key, candidate, scenario);
            return other != nullptr ? turned(**other, scenario.settings.recompute.kind)
                                    : blockTime(scenario, estimator_);
        });
        last_ = {stack, key, &time};
    }
    return *last_.time;
}

const Result<BlockCost>& BlockCosts::of(const Candidate& candidate, const Scenario& scenario) {
    return knownOr(tableOf(candidate).costs, keyOf(candidate, scenario), [&] {
        return costOf(scenario, timeOf(candidate, scenario));
    });
}

/// Where experts lie outside the data ranks these decide how far apart; copies to the host depend
/// on the microbatches of a step.
bool BlockCosts::shares(const Candidate& candidate, const Scenario& scenario) const {
    const Stack& stack = *task_.stacks[space_.families[candidate.family].stack].stack;
    return stack.experts != ExpertPlace::DataFirst && scenario.layout.offload == Offload::None;
}

PassFloors& BlockCosts::floorsOf(const Candidate& candidate, const Scenario& scenario) {
    return shares(candidate, scenario)
               ? floors_[space_.families[candidate.family].stack][keyOf(candidate, scenario)]
               : own_ = PassFloors();
}

/// Layers that recompute nothing and those that recompute everything are made once.
const Result<LayersKept>& BlockCosts::leastKept(const Candidate& candidate,
                                                const Scenario& scenario) {
    BlockKey key = keyOf(candidate, scenario);
    key.microBatch = 0;  // any size
    ByBlock<Result<LayersKept>>& known = tableOf(candidate).kept;
    if (const auto found = known.find(key); found != known.end()) {
        return found->second;
    }
    if (scenario.layout.offload == Offload::Activations || !scenario.settings.train.all()) {
        return known.emplace(key, LayersKept()).first->second;
    }
    const Result<LayersOfSamples> layers = layersOfSamples(copied(scenario));
    if (!layers) {
        return known.emplace(key, tl::unexpected(layers.error())).first->second;
    }
    if (scenario.settings.recompute.layers > 1) {  // not each layer keeps an input
        return known.emplace(key, LayersKept()).first->second;
    }
    SegmentCheckpoint checkpoint = checkpointOf(scenario);
    const Result<LayersKept>& kept = known.emplace(key, keptOf(*layers, checkpoint)).first->second;
    if (const auto other = turnedOver(candidate, scenario)) {
        key.recompute = *other;
        checkpoint.kind = space_.recomputesOf(candidate.family)[*other].kind;
        known.try_emplace(key, keptOf(*layers, checkpoint));
    }
    return kept;
}

const Result<ModelTime>& BlockCosts::leastPerSample(const Candidate& candidate,
                                                    const Scenario& scenario) {
    BlockKey key = keyOf(candidate, scenario);
    key.recompute = 0;  // any recompute
    const BlockTable::LeastTimes& times = knownOr(
        tableOf(candidate).least, key, [&] { return leastTimes(copied(scenario), estimator_); });
    const bool again = scenario.settings.recompute.kind == Checkpointing::Full;
    return again ? times.again : times.once;
}

}  // namespace fabricast
