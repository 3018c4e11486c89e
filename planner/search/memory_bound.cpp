#include "planner/search/memory_bound.h"

#include "planner/base/integers.h"
#include "planner/sharding/fsdp2_units.h"
#include "planner/sharding/stage_shape.h"
#include "planner/stack/rank_groups.h"
#include "planner/stack/state_bytes.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr double kBeyond = 4e18;

/// torch's runtime of several chunks a rank: what it sends stays until its own backward is done,
/// what it received of every microbatch until the end of the step.
bool keepsExchanged(const Layout& layout, Engine engine) {
    const ScheduleKind schedule = layout.schedule;
    return engine != Engine::Megatron && engine != Engine::DeepSpeed &&
           (schedule == ScheduleKind::Interleaved || schedule == ScheduleKind::InterleavedZb ||
            schedule == ScheduleKind::LoopedBfs);
}

bool staysGathered(const Settings& settings, const Layout& layout) {
    return settings.engine == Engine::Fsdp2 && layout.pp > 1 && settings.tuning == Tuning::Full &&
           settings.torch.reshard != Reshard::Always;
}

/// What one microbatch hands from stage to stage.
double exchangedBytes(const Layout& layout, const Scenario& base, const Settings& settings) {
    const std::int64_t split = layout.sp ? layout.cp * layout.tp : layout.cp;
    const std::int64_t tokens = layout.microBatch * base.workload.sequence / split;
    return asDouble(tokens) * asDouble(base.model.hidden) *
           asDouble(bytesPerElement(settings.precision.compute));
}

double localBytes(const WeightCount& weights, const Layout& layout, ModelCode code, Dtype type) {
    const WeightCount local = ModelWeightCounts::local(weights, layout, code);
    return (local.own + local.experts) * asDouble(bytesPerElement(type));
}

}  // namespace

MemoryBound::MemoryBound(const SearchTask& task, const SearchSpace& space)
    : task_(task),
      space_(space),
      families_(space.families.size()),
      weights_(task.base.model),
      splits_(task.base.model),
      flights_(task, weights_, splits_),
      runtime_(task.base.cluster),
      scratch_(task.base) {}

/// Of parameters that are trained; a frozen base is not counted.
MemoryBound::States MemoryBound::statesOf(const Settings& settings, const Layout& layout) {
    States states;
    if (!settings.trainsAll()) {
        return states;
    }
    for (const StatePart& part : stateBytes(settings, layout).parts) {
        // What is staged on its way is no state that stays.
        if (part.place == StatePlace::Host && part.sharded && part.name != "staging") {
            states.host += part.bytes;
        }
        if (part.place == StatePlace::Nvme && part.sharded) {
            states.drives += part.bytes;
        }
        if (part.place != StatePlace::Device) {
            continue;
        }
        (part.sharded ? states.split : states.whole) += part.bytes;
        if (part.name == "weights" || part.name == "master" || part.name == "moments") {
            (part.sharded ? states.splitBetween : states.wholeBetween) += part.bytes;
        }
    }
    return states;
}

MemoryBound::Shards MemoryBound::shardsOf(const Layout& layout, ModelCode code) {
    return {asDouble(shardSize(layout)), asDouble(ModelWeightCounts::expertShards(layout, code))};
}

double MemoryBound::held(const WeightCount& local,
                         const Shards& shards,
                         double whole,
                         double split) {
    return local.own * (whole + split / shards.own) +
           local.experts * (whole + split / shards.experts);
}

std::int64_t MemoryBound::leastRuntime(const Layout& layout, const Settings& settings) {
    return runtime_.of(layout, settings).count();
}

/// All layers of a pipeline's stage are alike to its shards: the whole model is looked at as one.
const MemoryBound::GatheredLayer& MemoryBound::gatheredLayerOf(std::uint32_t place,
                                                               const Settings& usual) {
    const Layout& layout = space_.families[place].layout;
    const std::uint32_t stack = space_.families[place].stack;
    const auto [entry, isNew] =
        gathered_.try_emplace({stack,
                               layout.tp,
                               layout.cp,
                               layout.ep,
                               layout.etp,
                               shardSize(layout),
                               ModelWeightCounts::expertShards(layout, usual.kernels.code)});
    if (!isNew) {
        return entry->second;
    }
    scratch_.stack = std::string(task_.stacks[stack].stack->name);
    scratch_.settings = usual;
    scratch_.layout = layout;
    scratch_.layout.pp = scratch_.layout.vpp = 1;
    scratch_.layout.schedule = ScheduleKind::None;
    Result<StageShape> shape = stageShape(scratch_, 0);
    if (!shape) {
        return entry->second;
    }
    WeightLists& lists = tensors_.of(scratch_);
    shape->layerLists = std::move(lists);
    for (const ChunkView& chunk : shape->chunks) {
        for (const FsdpUnit& unit : fsdpUnits(*shape, chunk)) {
            if (unit.wraps == FsdpWrap::Layer || unit.wraps == FsdpWrap::Experts) {
                (unit.sparse ? entry->second.sparse : entry->second.dense) +=
                    asDouble(unit.elements);
            }
        }
    }
    lists = std::move(shape->layerLists);
    return entry->second;
}

/// FSDP gathers a layer before it runs; in a pipeline layers may stay gathered for all
/// microbatches.
void MemoryBound::addGathered(std::uint32_t place, const Settings& usual, Family& family) {
    if (usual.engine != Engine::Fsdp2 || !usual.trainsAll()) {
        return;
    }
    const GatheredLayer& layer = gatheredLayerOf(place, usual);
    const double bytes = asDouble(bytesPerElement(usual.precision.compute));
    const Layout& layout = space_.families[place].layout;
    const std::int64_t layers = task_.base.model.layers;
    const std::int64_t sparse = splits_.sparse(0, layers);
    family.gatheredLayer = bytes * std::max(layer.dense, layer.sparse);
    if (staysGathered(usual, layout)) {
        family.gathered =
            bytes * (asDouble(layers - sparse) * layer.dense + asDouble(sparse) * layer.sparse) /
            asDouble(layout.pp);
    }
}

const MemoryBound::Family& MemoryBound::familyOf(std::uint32_t place, const Settings& usual) {
    Family& family = families_[place];
    if (family.known) {
        return family;
    }
    family.known = true;
    const Layout& layout = space_.families[place].layout;
    const ModelSpec& model = task_.base.model;
    const WeightCount mean = weights_.ofMeanRank(layout, usual.kernels.code);
    const States& states = family.states = statesOf(usual, layout);
    const Shards shards = shardsOf(layout, usual.kernels.code);
    family.all = held(mean, shards, states.whole, states.split);
    family.between = held(mean, shards, states.wholeBetween, states.splitBetween);
    family.host = held(mean, shards, 0.0, states.host);
    family.drives = held(mean, shards, 0.0, states.drives);
    const double tokens =
        asDouble(task_.base.workload.sequence / layout.cp) / asDouble(layout.sp ? layout.tp : 1);
    family.inputs = tokens * asDouble(model.hidden) * asDouble(model.layers) / asDouble(layout.pp) *
                    asDouble(bytesPerElement(usual.precision.compute));
    family.runtime = leastRuntime(layout, usual);
    addGathered(place, usual, family);
    return family;
}

std::int64_t MemoryBound::fromCounts(const Candidate& candidate, const Settings& usual) {
    return fromKept(candidate, usual, {});
}

/// Between its last forward and its first backward a microbatch is kept by all chunks of a rank.
std::int64_t MemoryBound::fromKept(const Candidate& candidate,
                                   const Settings& usual,
                                   const LayersKept& perSample) {
    const Family& family = familyOf(candidate.family, usual);
    const std::int64_t layers = task_.base.model.layers;
    const std::int64_t sparse = splits_.sparse(0, layers);
    const double kept =
        (asDouble(layers - sparse) * perSample.dense + asDouble(sparse) * perSample.sparse) /
        asDouble(space_.families[candidate.family].layout.pp);
    const double samples = asDouble(space_.samplesOf(candidate));
    const double most =
        std::max({family.all,
                  family.between + family.gathered + samples * std::max(family.inputs, kept),
                  family.gatheredLayer});
    return static_cast<std::int64_t>(std::min(most, kBeyond)) + family.runtime;
}

/// As `fromOrder`, at one moment of each rank.
std::int64_t MemoryBound::fromFlight(const Candidate& candidate,
                                     const Settings& usual,
                                     const LayersKept& perSample) {
    const Layout layout = space_.layoutOf(candidate);
    const ModelCode code = usual.kernels.code;
    const Family& family = familyOf(candidate.family, usual);
    const States& states = family.states;
    const bool stays = staysGathered(usual, layout);
    const double exchanged = layout.pp > 1 && keepsExchanged(layout, usual.engine)
                                 ? exchangedBytes(layout, task_.base, usual)
                                 : 0.0;
    const auto microBatches =
        asDouble(task_.base.workload.globalBatch / layout.dp / layout.microBatch);
    const double samples = asDouble(layout.microBatch);
    const Shards shards = shardsOf(layout, code);
    double most = 0.0;
    for (const RankInFlight& rank :
         flights_.of(space_.families[candidate.family].stack, layout, usual)) {
        const WeightCount local = ModelWeightCounts::local(rank.weights, layout, code);
        const double all = held(local, shards, states.whole, states.split);
        double live = usual.engine == Engine::Megatron
                          ? all
                          : held(local, shards, states.wholeBetween, states.splitBetween);
        live += samples * (rank.dense * perSample.dense + rank.sparse * perSample.sparse);
        live += exchanged * (rank.sent + rank.received * std::max(0.0, microBatches - rank.walked));
        if (stays) {
            live += localBytes(rank.gathered, layout, code, usual.precision.compute) +
                    localBytes(rank.reduced, layout, code, usual.precision.reduce);
        }
        most = std::max({most, all, live});
    }
    return static_cast<std::int64_t>(std::min(most, kBeyond)) + family.runtime;
}

bool MemoryBound::fitsHost(std::uint32_t family, const Settings& usual) {
    const NodeSpec& node = task_.base.cluster.node;
    const auto holds = [&node](const Sourced<Bytes>& there, double ofRank) {
        return !there.value || ofRank * asDouble(node.gpus) <= asDouble(there.value->count());
    };
    const Family& held = familyOf(family, usual);
    return holds(node.hostMemory, held.host) && holds(node.nvme, held.drives);
}

/// Bytes: above what was live before where it says `most`.
struct MemoryBound::ChunkLoad {
    WeightCount weights;
    double kept = 0.0;  ///< from a forward to its backward
    double mostForward = 0.0;
    double mostBackward = 0.0;
    double gathered = 0.0;       ///< since the first forward
    double gradients = 0.0;      ///< since the first backward
    std::int64_t backwards = 0;  ///< still to come, where the host takes gradients then
    bool first = false;
    bool last = false;
};

Result<const PipelineOrder*> MemoryBound::orderOf(std::uint32_t stack,
                                                  const Scenario& scenario,
                                                  std::int64_t rank) {
    const Layout& layout = scenario.layout;
    const OrderKey key{stack,
                       layout.schedule,
                       layout.pp,
                       layout.vpp,
                       scenario.microBatches(),
                       layout.scheduleGroup,
                       rank};
    if (const auto known = orders_.find(key); known != orders_.end()) {
        return &known->second;
    }
    FABRICAST_ASSIGN(PipelineOrder order, pipelineOrder(scenario, rank));
    return &orders_.emplace(key, std::move(order)).first->second;
}

std::vector<MemoryBound::ChunkLoad> MemoryBound::chunksOf(const Scenario& scenario,
                                                          const std::vector<std::int64_t>& layers,
                                                          const BlockCost& cost,
                                                          std::int64_t rank) const {
    const Layout& layout = scenario.layout;
    std::vector<ChunkLoad> loads;
    std::int64_t first = 0;
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
        const std::int64_t count = layers[chunk];
        const std::int64_t sparse = splits_.sparse(first, count);
        const std::int64_t dense = count - sparse;
        first += count;
        const bool lastSparse = count > 0 && scenario.model.isSparse(first - 1);
        if (!isOnRank(layout, static_cast<std::int64_t>(chunk), rank)) {
            continue;
        }
        ChunkLoad load{.weights = weights_.ofLayers(dense, sparse),
                       .first = chunk == 0,
                       .last = chunk + 1 == layers.size()};
        const double kept = asDouble(dense * cost.dense.kept) + asDouble(sparse * cost.sparse.kept);
        if (count > 0) {
            const SegmentFootprint& last = lastSparse ? cost.sparse : cost.dense;
            load.mostForward = kept - asDouble(last.kept) + asDouble(last.forward);
            load.mostBackward = kept - asDouble(last.kept) + asDouble(last.backward);
        }
        load.kept = kept;
        load.weights.own += load.first ? weights_.embedding() : 0.0;
        if (load.last) {
            load.weights.own += weights_.head();
            load.kept += asDouble(cost.end.kept);
            load.mostForward = std::max(load.mostForward, kept + asDouble(cost.end.forward));
            load.mostBackward = std::max(load.mostBackward, kept + asDouble(cost.end.backward));
        }
        load.weights =
            ModelWeightCounts::local(load.weights, layout, scenario.settings.kernels.code);
        loads.push_back(load);
    }
    return loads;
}

Result<double> MemoryBound::ofRank(const Candidate& candidate,
                                   const Scenario& scenario,
                                   const BlockCost& cost,
                                   std::int64_t rank) {
    const std::uint32_t stack = space_.families[candidate.family].stack;
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, splits_.of(stack, scenario));
    FABRICAST_ASSIGN(const PipelineOrder* order, orderOf(stack, scenario, rank));
    const Layout& layout = scenario.layout;
    const Settings& settings = scenario.settings;
    std::vector<ChunkLoad> chunks = chunksOf(scenario, *layers, cost, rank);
    WeightCount all;
    for (const ChunkLoad& chunk : chunks) {
        all.own += chunk.weights.own;
        all.experts += chunk.weights.experts;
    }
    const States& states = familyOf(candidate.family, settings).states;
    const Shards shards = shardsOf(layout, settings.kernels.code);
    const double withGradients = held(all, shards, states.whole, states.split);
    // Megatron's gradients have their buffers all the time.
    const double resting = settings.engine == Engine::Megatron
                               ? withGradients
                               : held(all, shards, states.wholeBetween, states.splitBetween);
    const bool stays = staysGathered(settings, layout);
    for (ChunkLoad& chunk : chunks) {
        const double local = chunk.weights.own + chunk.weights.experts;
        if (stays) {
            chunk.gathered = local * asDouble(bytesPerElement(settings.precision.compute));
            chunk.gradients = local * asDouble(bytesPerElement(settings.precision.reduce));
        }
    }
    for (const PipelineAction& action : order->actions) {
        chunks[static_cast<std::size_t>(action.chunk)].backwards += action.forward ? 0 : 1;
    }
    double live = resting;
    if (layout.pp > 1 && keepsExchanged(layout, settings.engine)) {
        const double exchanged = exchangedBytes(layout, scenario, settings);
        const auto passes = static_cast<std::int64_t>(order->actions.size()) / 2 + order->held;
        const std::int64_t further = scenario.microBatches() - passes / layout.vpp;
        for (ChunkLoad& chunk : chunks) {
            chunk.kept += chunk.last ? 0.0 : exchanged;
            live += chunk.first ? 0.0 : exchanged * asDouble(std::max<std::int64_t>(0, further));
        }
    }
    double most = withGradients;
    for (const PipelineAction& action : order->actions) {
        ChunkLoad& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        if (action.forward) {
            live += std::exchange(chunk.gathered, 0.0);
            most = std::max(most, live + chunk.mostForward);
            live += chunk.kept;
            live += &action == order->actions.data() ? asDouble(order->held) * chunk.kept : 0.0;
            most = std::max(most, live);
        } else {
            most = std::max(most, live - chunk.kept + chunk.mostBackward);
            live += std::exchange(chunk.gradients, 0.0) - chunk.kept;
            // The chunk's last backward reduces its gradients, and lets go of what it gathered.
            if (stays && --chunk.backwards == 0) {
                const double local = chunk.weights.own + chunk.weights.experts;
                live -= local * asDouble(bytesPerElement(settings.precision.compute) +
                                         bytesPerElement(settings.precision.reduce));
            }
        }
    }
    return most;
}

Result<std::int64_t> MemoryBound::fromOrder(const Candidate& candidate,
                                            const Scenario& scenario,
                                            const BlockCost& cost,
                                            std::int64_t enough) {
    const std::uint32_t stack = space_.families[candidate.family].stack;
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, splits_.of(stack, scenario));
    const std::int64_t runtime = leastRuntime(scenario.layout, scenario.settings);
    std::int64_t most = 0;
    std::int64_t done = -1;
    for (const std::int64_t rank : splits_.fullestRanks(scenario.layout, *layers)) {
        if (most <= enough && rank > done) {
            FABRICAST_ASSIGN(const double bytes, ofRank(candidate, scenario, cost, rank));
            most = std::max(most, static_cast<std::int64_t>(std::min(bytes, kBeyond)) + runtime);
            done = rank;
        }
    }
    return most;
}

}  // namespace fabricast
