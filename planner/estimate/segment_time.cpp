#include "planner/estimate/segment_time.h"

#include "planner/base/integers.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/group_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/ops/packed_saves.h"
#include "planner/spec/activation_offload.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fabricast {

WorkSeconds& WorkSeconds::operator+=(const WorkSeconds& other) {
    gemm += other.gemm;
    attention += other.attention;
    memory += other.memory;
    return *this;
}

WorkSeconds operator*(WorkSeconds work, double factor) {
    return {work.gemm * factor, work.attention * factor, work.memory * factor};
}

PassTime& PassTime::operator+=(const PassTime& other) {
    device += other.device;
    launches += other.launches;
    linears += other.linears;
    quantised += other.quantised;
    experts += other.experts;
    return *this;
}

SegmentTime& SegmentTime::operator+=(const SegmentTime& other) {
    forward += other.forward;
    recompute += other.recompute;
    input += other.input;
    weight += other.weight;
    trained += other.trained;
    trainedExperts += other.trainedExperts;
    frozen += other.frozen;
    frozenExperts += other.frozenExperts;
    newtonSchulz += other.newtonSchulz;
    newtonSchulzExperts += other.newtonSchulzExperts;
    packed += other.packed;
    return *this;
}

SegmentTime operator*(SegmentTime time, double factor) {
    for (PassTime* pass : {&time.forward, &time.recompute, &time.input, &time.weight}) {
        pass->device = pass->device * factor;
        pass->launches *= factor;
        pass->linears *= factor;
        pass->quantised *= factor;
        pass->experts *= factor;
    }
    time.trained *= factor;
    time.trainedExperts *= factor;
    time.frozen *= factor;
    time.frozenExperts *= factor;
    time.newtonSchulz *= factor;
    time.newtonSchulzExperts *= factor;
    time.packed *= factor;
    return time;
}

namespace {

/// Whether a checkpoint's second forward runs this op.
bool runsAgain(Checkpointing checkpoint, const Op& op) {
    switch (checkpoint) {
        case Checkpointing::Full:
        case Checkpointing::Block:
            return true;
        case Checkpointing::Selective:
            return !op.keptBySelective;
        case Checkpointing::None:
        case Checkpointing::Modules:
            break;
    }
    return op.block >= 0;
}

/// What goes to the host of a segment: of a checkpointed one its input, of a layer of Megatron what
/// Transformer Engine marks.
double packedOf(const Scenario& scenario, const OpList& list, const SegmentSetting& setting) {
    const HostWay way = hostWayOf(scenario);
    if (way == HostWay::None) {
        return 0.0;
    }
    if (way == HostWay::Layers) {
        return setting.layer ? asDouble(markedBytes(list)) : 0.0;
    }
    if (setting.checkpoint == Checkpointing::Full) {
        return asDouble(list.tensor(list.input).bytes);
    }
    const PrecisionSettings& types = scenario.settings.precision;
    const bool gathered = scenario.settings.engine == Engine::Fsdp2;
    const std::int64_t width = bytesPerElement(gathered ? types.compute : types.parameters);
    return asDouble(packedBytes(list, isTrl(way) ? 0 : width));
}

/// Muon's products for the matrices of a layer, each of a stack of experts by itself. AdamW steps
/// vectors and what is outside layers.
void addNewtonSchulz(const Scenario& scenario,
                     const OpList& layer,
                     const KernelProfile& kernels,
                     SegmentTime& total) {
    std::vector<bool> counted(layer.weights.size(), false);
    for (const Op& op : layer.ops) {
        const auto product = op.weights.empty() ? std::nullopt : productOf(scenario, layer, op);
        if (!product) {
            continue;
        }
        const auto index = static_cast<std::size_t>(op.weights.front());
        const WeightUse& weight = layer.weights[index];
        if (!weight.trained || counted[index]) {
            continue;
        }
        counted[index] = true;
        (weight.expert ? total.newtonSchulzExperts : total.newtonSchulz) +=
            asDouble(product->count) *
            newtonSchulzTime(kernels, product->columns, product->depth, {}).count();
    }
}

void addGradientSums(const OpList& list,
                     bool compiled,
                     const KernelProfile& kernels,
                     PassTime& backward) {
    const GradientSums sums = gradientSums(list, compiled);
    if (sums.bytes == 0) {
        return;
    }
    const auto launches = static_cast<double>(std::max<std::int64_t>(sums.count, 1));
    const double each = asDouble(sums.bytes) / launches;
    backward.device.memory +=
        launches * memoryTime(kernels, MemoryOp::Elementwise, each, {}).count();
    backward.launches += asDouble(sums.count);
}

/// What the optimizer steps, and the bytes of what it does not.
void addParameters(const Scenario& scenario, const OpList& list, SegmentTime& total) {
    const std::int64_t usual = bytesPerElement(scenario.settings.precision.parameters);
    for (const WeightUse& weight : list.weights) {
        if (weight.tied) {
            continue;
        }
        if (weight.trained) {
            (weight.expert ? total.trainedExperts : total.trained) += asDouble(weight.elements);
        } else {
            const std::int64_t bytes =
                weight.codeBytes > 0 ? weight.codeBytes : weight.elements * weight.widthOr(usual);
            (weight.expert ? total.frozenExperts : total.frozen) += asDouble(bytes);
        }
    }
}

SegmentTime headTime(const Scenario& scenario, const KernelProfile& kernels) {
    const auto time = [&](const OpList& list) { return segmentTime(scenario, list, {}, kernels); };
    if (isMegatronCode(scenario) && scenario.model.mtpDepth > 0) {
        return time(megatronPredictions(scenario));
    }
    if (scenario.settings.kernels.loss == LossKernel::Chunked) {
        const auto chunks = static_cast<double>(scenario.settings.kernels.lossChunks);
        SegmentTime chunk = time(headChunkSegment(scenario));
        chunk += time(lossChunkSegment(scenario));
        SegmentTime head = chunk * chunks;
        head.trained = chunk.trained;  // every chunk multiplies by the same weights
        head.trainedExperts = chunk.trainedExperts;
        head.frozen = chunk.frozen;
        return head;
    }
    if (fusesLoss(scenario)) {
        return ligerHeadTime(scenario, kernels);
    }
    SegmentTime head = time(headSegment(scenario));
    SegmentTime loss = time(lossSegment(scenario));
    const HostWay way = hostWayOf(scenario);
    head.packed = isTrl(way) ? 0.0 : head.packed;
    loss.packed = way == HostWay::TrlAside ? 0.0 : loss.packed;  // it is back before it left
    head += loss;
    return head;
}

}  // namespace

namespace {

/// Times of a segment, one for each way to exchange keys.
using ByKind = std::vector<SegmentTime>;

void addGroup(SegmentTime& total, const SegmentTime& group, bool again) {
    total.forward += group.forward;
    total.input += group.input;
    total.weight += group.weight;
    if (again) {
        total.recompute += group.forward;
    }
}

/// What is not in its groups.
void addRest(const Scenario& scenario,
             const OpList& list,
             const SegmentSetting& setting,
             const KernelProfile& kernels,
             SegmentTime& total) {
    total.packed = packedOf(scenario, list, setting);
    addGradientSums(list, scenario.settings.kernels.compile, kernels, total.input);
    addParameters(scenario, list, total);
    if (setting.layer && !list.tensor(list.output).requiresGrad) {
        total.input = total.recompute = {};  // backward does not come here
    }
    if (setting.layer && scenario.settings.optimizer.kind == OptimizerKind::Muon) {
        addNewtonSchulz(scenario, list, kernels, total);
    }
}

ByKind segmentTimes(const Scenario& scenario,
                    const OpList& list,
                    const SegmentSetting& setting,
                    const KernelProfile& kernels,
                    std::span<const CpKind> kinds) {
    const GroupClock clock(scenario, list, setting, kernels);
    ByKind totals(kinds.size());
    for (const FusedGroup& group : fusedGroups(list, scenario.settings.kernels.compile)) {
        const Op& first = list.ops[group.begin];
        const bool again = runsAgain(setting.checkpoint, first);
        if (first.kind == OpKind::Attention) {
            for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
                addGroup(totals[kind], clock.attention(kinds[kind]), again);
            }
            continue;
        }
        const SegmentTime time = clock.timeOf(group);
        for (SegmentTime& total : totals) {
            addGroup(total, time, again);
        }
    }
    for (SegmentTime& total : totals) {
        addRest(scenario, list, setting, kernels, total);
    }
    return totals;
}

}  // namespace

SegmentTime segmentTime(const Scenario& scenario,
                        const OpList& list,
                        const SegmentSetting& setting,
                        const KernelProfile& kernels) {
    return segmentTimes(scenario, list, setting, kernels, {&scenario.layout.cpKind, 1}).front();
}

ModelTime endTimes(const Scenario& scenario, const KernelProfile& kernels) {
    ModelTime model;
    model.embedding = segmentTime(scenario, embeddingSegment(scenario), {}, kernels);
    model.norm = segmentTime(scenario, finalNormSegment(scenario), {}, kernels);
    model.head = headTime(scenario, kernels);
    return model;
}

std::vector<ModelTime> layerTimes(const Scenario& scenario,
                                  const LayerOps& layers,
                                  const KernelProfile& kernels,
                                  std::span<const CpKind> kinds) {
    const SegmentSetting layer{.checkpoint = scenario.settings.recompute.kind, .layer = true};
    std::vector<ModelTime> models(kinds.size());
    const auto time = [&](const std::optional<OpList>& list, const auto& take) {
        const ByKind times =
            list ? segmentTimes(scenario, *list, layer, kernels, kinds) : ByKind(kinds.size());
        for (std::size_t kind = 0; list && kind < kinds.size(); ++kind) {
            take(models[kind], times[kind]);
        }
    };
    time(layers.dense, [](ModelTime& model, const SegmentTime& each) { model.dense = each; });
    // The mean of all that are frozen or not: they are summed over one chunk.
    const double share = asDouble(layers.frozenLayers) / asDouble(scenario.model.layers);
    time(layers.frozen, [share](ModelTime& model, const SegmentTime& each) {
        model.dense = model.dense * (1.0 - share);
        model.dense += each * share;
    });
    time(layers.sparse, [](ModelTime& model, const SegmentTime& each) { model.sparse = each; });
    return models;
}

ModelTime modelTime(const Scenario& scenario,
                    const LayerOps& layers,
                    const KernelProfile& kernels) {
    ModelTime model = endTimes(scenario, kernels);
    const ModelTime times =
        layerTimes(scenario, layers, kernels, {&scenario.layout.cpKind, 1}).front();
    model.dense = times.dense;
    model.sparse = times.sparse;
    return model;
}

}  // namespace fabricast
