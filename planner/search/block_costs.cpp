#include "planner/search/block_costs.h"

#include "planner/base/integers.h"
#include "planner/estimate/op_kernels.h"
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

/// Whether the head holds layers, which predict further tokens.
bool predictsInHead(const Scenario& scenario) {
    return writtenInMegatron(scenario) && scenario.model.mtpDepth > 0;
}

/// What the model's ends depend on: not on how experts, keys or layers are dealt with.
BlockKey ofEnds(BlockKey key, const Scenario& scenario) {
    if (!predictsInHead(scenario) && scenario.settings.trainsAll()) {
        key.ep = key.etp = 1;
        key.recompute = 0;
        key.cpKind = CpKind::Ring;
    }
    return key;
}

/// What layers depend on: a model code of its own for parallel ranks asks nothing of the pipeline.
BlockKey ofLayers(BlockKey key, const Scenario& scenario) {
    key.pipelined = key.pipelined && !writtenInMegatron(scenario) &&
                    scenario.settings.kernels.code != ModelCode::TorchTitan;
    return key;
}

/// Norm, head and loss; nothing of ends that are walked in another way.
EndFootprint endOf(const Scenario& scenario) {
    EndFootprint end;
    if (predictsInHead(scenario) || scenario.settings.kernels.loss == LossKernel::Chunked) {
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

Result<std::vector<ModelTime>> layersTimes(const Scenario& scenario,
                                           const StepEstimator& estimator,
                                           std::span<const CpKind> kinds) {
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    return estimator.layers(scenario, layers, kinds);
}

/// Whether layers run the same kernels whatever is recomputed, but for what runs again: not where
/// what is saved is copied away, where weights are frozen (checkpoints make what they give ask for
/// gradients), or where tables are cast for layers that run once.
bool runsAlikeAgain(const Scenario& scenario) {
    return scenario.settings.trainsAll() && !castsRotaryTables(scenario) &&
           scenario.layout.offload != Offload::Activations;
}

/// Whether it is told of each operation, or of blocks of them, if it is recomputed. A compiler
/// joins what lies on both sides of where a block ends in another way than where there is none.
bool isPartial(const RecomputeSettings& recompute, const Scenario& scenario) {
    return recompute.kind == Checkpointing::Selective ||
           (recompute.kind == Checkpointing::Modules && !scenario.settings.kernels.compile);
}

/// Layers that recompute everything, or nothing, made of those that recompute another part.
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
SegmentFootprint leastFootprint(const OpList& list, const Scenario& scenario) {
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
    if (!time) {
        return tl::unexpected(time.error());
    }
    BlockCost cost;
    if (scenario.layout.offload == Offload::Activations) {  // it lies on the host
        return cost;
    }
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    if (layers.dense) {
        cost.dense = leastFootprint(*layers.dense, scenario);
    }
    if (!scenario.settings.train.all()) {
        cost.dense.kept = 0;  // by the first layers less than by the last, or nothing
    }
    if (layers.sparse) {
        cost.sparse = leastFootprint(*layers.sparse, scenario);
    }
    cost.end = endOf(scenario);
    return cost;
}

BlockTable::LeastTimes leastTimes(Result<ModelTime> once) {
    BlockTable::LeastTimes times{.once = std::move(once), .again = {}};
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

/// Of what the stack recomputes the kind of which layers of this kind are made: one that says for
/// each operation whether it runs again, or else nothing, or everything; itself where they are not
/// alike.
std::uint16_t BlockCosts::madeOf(const Candidate& candidate, const Scenario& scenario) const {
    const Checkpointing kind = scenario.settings.recompute.kind;
    if ((kind != Checkpointing::None && kind != Checkpointing::Full) || !runsAlikeAgain(scenario)) {
        return candidate.recompute;
    }
    const std::vector<RecomputeSettings>& kinds = space_.recomputesOf(candidate.family);
    auto base = std::ranges::find_if(
        kinds, [&](const RecomputeSettings& one) { return isPartial(one, scenario); });
    if (base == kinds.end()) {
        base = std::ranges::find(kinds, Checkpointing::None, &RecomputeSettings::kind);
    }
    return base == kinds.end() ? candidate.recompute
                               : static_cast<std::uint16_t>(base - kinds.begin());
}

/// The ways in which the stack's ranks may exchange keys, the scenario's among them.
std::vector<CpKind> BlockCosts::exchanges(const Candidate& candidate,
                                          const Scenario& scenario) const {
    const CpKind own = scenario.layout.cpKind;
    std::vector<CpKind> kinds{own};
    const Stack& stack = *task_.stacks[space_.families[candidate.family].stack].stack;
    for (const CpKind kind : stack.axes.context) {
        if (scenario.layout.cp > 1 && kind != own) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

/// With the layers' times alone, whose second forwards may be those of another kind. They are found
/// at once for all ways to exchange keys.
const Result<ModelTime>& BlockCosts::layersOf(BlockKey key,
                                              const Candidate& candidate,
                                              const Scenario& scenario) {
    ByBlock<Result<ModelTime>>& known = tableOf(candidate).layers;
    key.recompute = madeOf(candidate, scenario);
    key = ofLayers(key, scenario);
    if (const auto found = known.find(key); found != known.end()) {
        return found->second;
    }
    Scenario& base = copied(scenario);
    base.settings.recompute = space_.recomputesOf(candidate.family)[key.recompute];
    const std::vector<CpKind> kinds = exchanges(candidate, scenario);
    const auto times = layersTimes(base, estimator_, kinds);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        key.cpKind = kinds[kind];
        known.try_emplace(
            key, times ? Result<ModelTime>((*times)[kind]) : tl::unexpected(times.error()));
    }
    key.cpKind = scenario.layout.cpKind;
    return known.at(key);
}

Result<ModelTime> BlockCosts::blockTime(const BlockKey& key,
                                        const Candidate& candidate,
                                        const Scenario& scenario) {
    FABRICAST_ASSIGN(ModelTime time, layersOf(key, candidate, scenario));
    if (madeOf(candidate, scenario) != candidate.recompute) {
        time = turned(time, scenario.settings.recompute.kind);
    }
    const Result<ModelTime>& ends = knownOr(
        tableOf(candidate).ends, ofEnds(key, scenario), [&] { return estimator_.ends(scenario); });
    if (!ends) {
        return tl::unexpected(ends.error());
    }
    time.embedding = ends->embedding;
    time.norm = ends->norm;
    time.head = ends->head;
    return time;
}

const Result<ModelTime>& BlockCosts::timeOf(const Candidate& candidate, const Scenario& scenario) {
    const BlockKey key = keyOf(candidate, scenario);
    const std::uint32_t stack = space_.families[candidate.family].stack;
    if (last_.time == nullptr || last_.stack != stack || last_.block != key) {
        const auto& time = knownOr(
            tableOf(candidate).times, key, [&] { return blockTime(key, candidate, scenario); });
        last_ = {stack, key, &time};
    }
    return *last_.time;
}

/// All ways to exchange keys keep as much.
const Result<BlockCost>& BlockCosts::of(const Candidate& candidate, const Scenario& scenario) {
    BlockKey key = keyOf(candidate, scenario);
    key.cpKind = CpKind::Ring;
    return knownOr(tableOf(candidate).costs, key, [&] {
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

/// What was found for as large a micro-batch holds.
Result<LayerWaits> BlockCosts::leastWaits(const Candidate& candidate, const Scenario& scenario) {
    BlockKey key = keyOf(candidate, scenario);
    key.microBatch = 0;
    const std::int64_t samples = scenario.layout.microBatch;
    KnownWaits& known = waits_[space_.families[candidate.family].stack][key];
    if (known.samples < samples) {
        FABRICAST_ASSIGN(known.waits, estimator_.leastWaits(scenario));
        known.samples = samples;
    }
    return known.waits;
}

/// Of layers that are alike whatever is recomputed all kinds are found at once. What a block of
/// operations keeps is another list's.
void BlockCosts::findKept(BlockKey key, const Candidate& candidate, const Scenario& scenario) {
    ByBlock<Result<LayersKept>>& known = tableOf(candidate).kept;
    const std::vector<RecomputeSettings>& kinds = space_.recomputesOf(candidate.family);
    const auto isInBlocks = [&kinds](std::uint16_t kind) {
        return kinds[kind].kind == Checkpointing::Modules ||
               kinds[kind].kind == Checkpointing::Block;
    };
    std::uint16_t base = madeOf(candidate, scenario);
    base = isInBlocks(base) ? candidate.recompute : base;
    Scenario& sized = copied(scenario);
    sized.settings.recompute = kinds[base];
    const Result<LayersOfSamples> layers = layersOfSamples(sized);
    const auto add = [&](std::uint16_t kind) {
        SegmentCheckpoint checkpoint = checkpointOf(scenario);
        checkpoint.kind = kinds[kind].kind;
        key.recompute = kind;
        known.try_emplace(key,
                          layers ? Result<LayersKept>(keptOf(*layers, checkpoint))
                                 : tl::unexpected(layers.error()));
    };
    add(candidate.recompute);
    const bool isAlike = layers && !isInBlocks(base) && runsAlikeAgain(scenario);
    for (std::uint16_t kind = 0; isAlike && kind < kinds.size(); ++kind) {
        const Checkpointing of = kinds[kind].kind;
        if (kind == base || of == Checkpointing::None || of == Checkpointing::Full) {
            add(kind);
        }
    }
}

const Result<LayersKept>& BlockCosts::leastKept(const Candidate& candidate,
                                                const Scenario& scenario) {
    BlockKey key = ofLayers(keyOf(candidate, scenario), scenario);
    key.microBatch = 0;  // any size
    key.cpKind = CpKind::Ring;
    ByBlock<Result<LayersKept>>& known = tableOf(candidate).kept;
    if (const auto found = known.find(key); found != known.end()) {
        return found->second;
    }
    // Nor does each layer keep an input where several are checkpointed together.
    if (scenario.layout.offload == Offload::Activations || !scenario.settings.train.all() ||
        scenario.settings.recompute.layers > 1) {
        return known.emplace(key, LayersKept()).first->second;
    }
    findKept(key, candidate, scenario);
    return known.at(key);
}

/// Without anything recomputed, at once for all ways to exchange keys.
Result<void> BlockCosts::findLeast(BlockKey key,
                                   const Candidate& candidate,
                                   const Scenario& scenario) {
    Scenario& once = copied(scenario);
    once.settings.recompute = {};
    const KernelProfile& smooth = estimator_.smooth();
    FABRICAST_TRY(checkTypes(once, smooth));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(once));
    const std::vector<CpKind> kinds = exchanges(candidate, scenario);
    const std::vector<ModelTime> ofLayers = layerTimes(once, layers, smooth, kinds);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        key.cpKind = once.layout.cpKind = kinds[kind];
        ModelTime time = knownOr(tableOf(candidate).leastEnds, ofEnds(key, once), [&] {
            return endTimes(once, smooth);
        });
        time.dense = ofLayers[kind].dense;
        time.sparse = ofLayers[kind].sparse;
        tableOf(candidate).least.try_emplace(key,
                                             leastTimes(fabricast::leastPerSample(once, time)));
    }
    return {};
}

const Result<ModelTime>& BlockCosts::leastPerSample(const Candidate& candidate,
                                                    const Scenario& scenario) {
    BlockKey key = ofLayers(keyOf(candidate, scenario), scenario);
    key.recompute = 0;  // any recompute
    ByBlock<BlockTable::LeastTimes>& known = tableOf(candidate).least;
    auto times = known.find(key);
    if (times == known.end()) {
        if (const Result<void> found = findLeast(key, candidate, scenario); !found) {
            known.emplace(key, leastTimes(tl::unexpected(found.error())));
        }
        times = known.find(key);
    }
    const bool again = scenario.settings.recompute.kind == Checkpointing::Full;
    return again ? times->second.again : times->second.once;
}

}  // namespace fabricast
