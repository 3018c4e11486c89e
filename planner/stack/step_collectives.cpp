#include "planner/stack/step_collectives.h"

#include <algorithm>
#include <optional>

namespace fabricast {
namespace {

using Collectives = std::vector<StepCollective>;

Frequency reduced(const Settings& settings) {
    return settings.torch.sync == GradientSync::LastMicroBatch ? Frequency::EachStep
                                                               : Frequency::EachMicroBatch;
}

double shardRanks(const Layout& layout) {
    return static_cast<double>(layout.shardSize > 0 ? layout.shardSize : layout.replicas());
}

bool hasCopies(const Layout& layout) {
    return layout.shardSize > 0 && layout.shardSize < layout.replicas();
}

StepCollective allReduce(Dtype dtype, Frequency frequency) {
    return {.op = Collective::AllReduce, .dtype = dtype, .frequency = frequency};
}

StepCollective gather(Dtype dtype, Frequency frequency) {
    return {.op = Collective::AllGather,
            .carried = Carried::Parameters,
            .group = GroupKind::Shard,
            .dtype = dtype,
            .frequency = frequency};
}

/// A reduce-scatter inside shard groups, then an all-reduce of the shard across their copies.
void addReduction(Collectives& list,
                  const Settings& settings,
                  const Layout& layout,
                  Frequency when,
                  std::optional<Frequency> ofCopies = {}) {
    list.push_back({.op = Collective::ReduceScatter,
                    .group = GroupKind::Shard,
                    .dtype = settings.precision.reduce,
                    .frequency = when});
    if (hasCopies(layout)) {
        StepCollective copies = allReduce(settings.precision.reduce, ofCopies.value_or(when));
        copies.group = GroupKind::Replicate;
        copies.share = 1.0 / shardRanks(layout);
        list.push_back(copies);
    }
}

// Every unit is gathered in forward, and again in backward unless it was not resharded:
// torchtitan's last one ([norm, head]) and the root of a plain fully_shard (embedding too) never
// are. A pipeline gathers and reduces once for all its micro-batches.
Collectives fsdp2(const Settings& settings, const Layout& layout) {
    const Without kept =
        settings.kernels.code == ModelCode::TorchTitan ? Without::Head : Without::Ends;
    const Dtype compute = settings.precision.compute;
    const bool pipeline = layout.pp > 1;
    const Frequency each = pipeline ? Frequency::EachStep : Frequency::EachMicroBatch;
    Collectives list = {gather(compute, each)};
    const bool stays = settings.torch.reshard == Reshard::Default && pipeline;
    if (settings.torch.gathersLayersAgain() && !stays) {
        StepCollective again = gather(compute, each);
        again.without = settings.torch.reshard == Reshard::Always ? Without::Nothing : kept;
        list.push_back(again);
    }
    addReduction(list, settings, layout, pipeline ? Frequency::EachStep : reduced(settings));
    return list;
}

// The root unit stays gathered from forward to backward; SHARD_GRAD_OP keeps all, and under no_sync
// from the first micro-batch to the last.
Collectives fsdp1(const Settings& settings, const Layout& layout) {
    const Dtype compute = settings.precision.compute;
    const Frequency when = reduced(settings);
    if (layout.shard == Shard::None) {
        return {allReduce(settings.precision.reduce, when)};
    }
    const bool keeps = settings.torch.shardGradOp;
    Collectives list = {gather(compute, keeps ? when : Frequency::EachMicroBatch)};
    if (!keeps) {
        StepCollective again = gather(compute, Frequency::EachMicroBatch);
        again.without = Without::Ends;
        list.push_back(again);
    }
    addReduction(list, settings, layout, when);
    return list;
}

/// ZeRO-3 gathers a tensor again in backward if more than max_reuse_distance elements were used
/// since: of P parameters visited down and up again, those with 2 x (P - position) above it.
StepCollective gatherAgain(const Settings& settings, const RankParameters& parameters) {
    StepCollective again = gather(settings.precision.compute, Frequency::EachMicroBatch);
    const auto reach = static_cast<double>(settings.deepspeed.maxReuse);
    const double twice = 2.0 * static_cast<double>(std::max<std::int64_t>(parameters.all, 1));
    const double tail = static_cast<double>(parameters.head) / (twice / 2);
    again.share = std::max(0.0, 1.0 - std::max(reach / twice, tail));
    return again;
}

// ZeRO-1 and 2 all-reduce every bucket and keep their part of it; ZeRO-2 in every micro-batch.
Collectives deepspeed(const Settings& settings,
                      const Layout& layout,
                      const RankParameters& parameters) {
    const Dtype wire = settings.precision.reduce;
    switch (layout.shard) {
        case Shard::Zero1:
            return {allReduce(wire, Frequency::EachStep),
                    gather(settings.precision.parameters, Frequency::EachStep)};
        case Shard::Zero2:
            return {allReduce(wire, Frequency::EachMicroBatch),
                    gather(settings.precision.parameters, Frequency::EachStep)};
        case Shard::Zero3: {
            Collectives list = {gather(settings.precision.compute, Frequency::EachMicroBatch),
                                gatherAgain(settings, parameters)};
            addReduction(list, settings, layout, Frequency::EachMicroBatch);
            return list;
        }
        default:
            return {allReduce(wire, Frequency::EachStep)};
    }
}

// Once a step, over buckets of the gradient buffer. Dense weights and experts have an optimizer
// each, and each of the two gathers everything.
Collectives megatron(const Settings& settings, const Layout& layout) {
    if (layout.shard == Shard::None) {
        return {allReduce(settings.precision.reduce, Frequency::EachStep)};
    }
    Collectives list;
    addReduction(list, settings, layout, Frequency::EachStep);
    StepCollective updated = gather(settings.precision.parameters, Frequency::EachStep);
    updated.share = layout.ep > 1 ? 2.0 : 1.0;
    list.push_back(updated);
    return list;
}

// optim: as the distributed optimizer; optim_grads: gradients are scattered in every micro-batch;
// optim_grads_params: weights are gathered in forward and backward too. Outer ranks reduce in the
// last micro-batch alone (is_last_microbatch). Read, not recorded.
Collectives megatronFsdp(const Settings& settings, const Layout& layout) {
    if (layout.shard == Shard::None || layout.shard == Shard::Zero1) {
        return megatron(settings, layout);
    }
    Collectives list;
    const bool weights = layout.shard != Shard::Zero2;
    const Frequency when = weights ? Frequency::EachMicroBatch : Frequency::EachStep;
    list.push_back(gather(settings.precision.compute, when));
    if (weights) {
        list.push_back(gather(settings.precision.compute, when));
    }
    addReduction(list, settings, layout, Frequency::EachMicroBatch, Frequency::EachStep);
    return list;
}

double parametersOf(Without without, const RankParameters& parameters) {
    switch (without) {
        case Without::Nothing:
            return static_cast<double>(parameters.all);
        case Without::Head:
            return static_cast<double>(parameters.all - parameters.head);
        case Without::Ends:
            return static_cast<double>(parameters.all - parameters.ends);
    }
    return 0;
}

}  // namespace

std::vector<StepCollective> stepCollectives(const Settings& settings,
                                            const Layout& layout,
                                            const RankParameters& parameters) {
    switch (settings.engine) {
        case Engine::Local:
            return {};
        case Engine::Ddp:
            return {allReduce(settings.precision.gradients, reduced(settings))};
        case Engine::Fsdp1:
            return fsdp1(settings, layout);
        case Engine::Fsdp2:
            return fsdp2(settings, layout);
        case Engine::DeepSpeed:
            return deepspeed(settings, layout, parameters);
        case Engine::Megatron:
            return megatron(settings, layout);
        case Engine::MegatronFsdp:
            return megatronFsdp(settings, layout);
    }
    return {};
}

double elementsPerStep(const StepCollective& collective,
                       const RankParameters& parameters,
                       std::int64_t microBatches) {
    const double times =
        collective.frequency == Frequency::EachStep ? 1.0 : static_cast<double>(microBatches);
    return times * collective.share * parametersOf(collective.without, parameters);
}

}  // namespace fabricast
