#include "planner/comm/engine_calls.h"
#include "planner/comm/pipeline_gathers.h"
#include "planner/sharding/fsdp2_units.h"

namespace fabricast {
namespace {

/// How often a unit is gathered before forwards and backwards, and its gradients are reduced.
struct UnitTimes {
    ChunkGathers gathers;
    std::int64_t reduced = 0;
    std::int64_t joined = 0;  ///< over the copies of the states
};

/// Outside of a pipeline: in every micro-batch. Megatron-FSDP reduces over its outer ranks in the
/// last one alone, whatever happens inside.
UnitTimes timesOf(const StageView& view, const FsdpUnit& unit) {
    const Settings& settings = view.settings();
    const bool last = settings.torch.sync == GradientSync::LastMicroBatch;
    const std::int64_t reduced = last ? 1 : view.microBatches;
    return {
        .gathers = {.forward = view.microBatches, .backward = unit.kept ? 0 : view.microBatches},
        .reduced = reduced,
        .joined = settings.engine == Engine::MegatronFsdp ? 1 : reduced};
}

UnitTimes timesInPipeline(const StageView& view, const ChunkGathers& pass) {
    return {.gathers = {.ahead = pass.ahead * view.passes,
                        .forward = pass.forward * view.passes,
                        .backward = pass.backward * view.passes},
            .reduced = view.passes,
            .joined = view.passes};
}

CommPlace placeOf(FsdpWrap wrap) {
    switch (wrap) {
        case FsdpWrap::Embedding:
            return CommPlace::Embedding;
        case FsdpWrap::Layer:
            return CommPlace::Block;
        case FsdpWrap::Experts:
            return CommPlace::Experts;
        case FsdpWrap::Head:
            return CommPlace::Head;
        case FsdpWrap::Root:
            break;
    }
    return CommPlace::Root;
}

GroupKind groupOf(const StageView& view, const FsdpUnit& unit) {
    return unit.wraps == FsdpWrap::Experts ? GroupKind::ExpertShard : view.shardGroup;
}

void addUnitGathers(Calls& calls, const StageView& view, const FsdpUnit& unit, ChunkGathers times) {
    if (unit.ranks == 1) {
        return;
    }
    CommCall gather{.group = groupOf(view, unit),
                    .op = CommOp::AllGather,
                    .use = CommUse::ParameterGather,
                    .place = placeOf(unit.wraps),
                    .sparse = unit.sparse,
                    .chunk = unit.chunk,
                    .parts = unit.count};
    const auto make = [&](CommPhase phase, std::int64_t count) {
        gather.phase = phase;
        gather.times = count;
        gather.type = view.compute;
        gather.elements = unit.elements;
        add(calls, gather);
        gather.type = WireType::Uint8;
        gather.elements = unit.packed;
        add(calls, gather);
    };
    const Settings& settings = view.scenario->settings;
    const bool ofBoth = settings.reference == Reference::Sharded && settings.timesReference();
    make(CommPhase::Forward, times.forward * (ofBoth ? 2 : 1));
    make(CommPhase::Backward, times.backward);
    make(CommPhase::Other, times.ahead);
    make(CommPhase::Other, unit.lossGather ? view.microBatches : 0);
}

void addReductions(Calls& calls, const StageView& view, const FsdpUnit& unit, UnitTimes times) {
    for (const std::int64_t elements : unit.reduced) {
        CommCall reduction{.group = groupOf(view, unit),
                           .op = CommOp::ReduceScatter,
                           .type = view.reduce,
                           .phase = view.pipelined() ? CommPhase::Other : CommPhase::Backward,
                           .use = CommUse::GradientReduce,
                           .place = placeOf(unit.wraps),
                           .sparse = unit.sparse,
                           .chunk = unit.chunk,
                           .elements = elements,
                           .parts = unit.count,
                           .times = times.reduced};
        if (unit.ranks > 1) {
            add(calls, reduction);
        }
        if (view.copies > 1) {
            reduction.group = view.copyGroup;
            reduction.op = CommOp::AllReduce;
            reduction.elements = elements / unit.ranks;
            reduction.times = times.joined;
            add(calls, reduction);
        }
    }
}

CommCall normOver(GroupKind group, std::int64_t entries) {
    return {.group = group, .type = WireType::Fp32, .phase = CommPhase::Clip, .elements = entries};
}

/// One vector with a norm for each tensor over the ranks that share it, then a scalar over the
/// stages. The experts' two axes are one reduction where they make up a mesh that exists already.
Calls normCalls(const StageView& view) {
    const Layout& layout = view.layout();
    const NormEntries entries = normEntries(view);
    Calls calls;
    if (view.shards > 1) {
        add(calls, normOver(view.shardGroup, entries.dense));
    }
    if (layout.tp > 1) {
        add(calls, normOver(GroupKind::Tensor, entries.dense));
    }
    if (view.expertShards > 1 && layout.tp == 1 && view.copies == 1) {
        add(calls, normOver(GroupKind::DataContext, entries.experts));
    } else {
        if (view.expertShards > 1) {
            add(calls, normOver(GroupKind::ExpertShard, entries.experts));
        }
        add(calls, normOver(GroupKind::Expert, entries.experts));
    }
    if (view.pipelined()) {
        add(calls, normOver(GroupKind::Pipeline, 1));
    }
    return calls;
}

}  // namespace

Result<Calls> fsdp2Calls(const StageView& view) {
    std::vector<ChunkGathers> passes;
    if (view.pipelined()) {
        FABRICAST_ASSIGN(passes, pipelineGathers(view));
    }
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        for (const FsdpUnit& unit : fsdpUnits(view, chunk)) {
            const UnitTimes times =
                view.pipelined()
                    ? timesInPipeline(view, passes[static_cast<std::size_t>(chunk.index)])
                    : timesOf(view, unit);
            addUnitGathers(calls, view, unit, times.gathers);
            addReductions(calls, view, unit, times);
        }
    }
    append(calls, normCalls(view));
    return calls;
}

}  // namespace fabricast
