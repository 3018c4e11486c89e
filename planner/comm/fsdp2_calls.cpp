#include "planner/comm/fsdp2_calls.h"

#include "planner/comm/fsdp2_units.h"

#include <algorithm>

namespace fabricast {
namespace {

/// How often a unit is gathered before forwards and backwards, and its gradients are reduced.
struct UnitTimes {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    std::int64_t reduced = 0;
};

/// A pipeline that reshards after every forward, and keeps what a backward gathered: a gather
/// wherever a forward follows a forward (or begins), or a backward follows a forward.
UnitTimes reshardingPipeline(const StageView& view) {
    const std::int64_t batches = view.microBatches / view.passes;
    const bool allForward = view.layout().schedule == ScheduleKind::Gpipe;
    const std::int64_t ahead =
        allForward ? batches : std::min(batches, view.layout().pp - view.rank.stage);
    // 1F1B: `ahead` forwards, then one backward and one forward in turn, then backwards. Only the
    // warm-up has forwards after forwards; every backward but those of the cool-down follows one.
    return {.forward = ahead * view.passes,
            .backward = (batches - ahead + 1) * view.passes,
            .reduced = view.passes};
}

UnitTimes timesOf(const StageView& view, const FsdpUnit& unit) {
    const TorchSettings& torch = view.settings().torch;
    if (view.pipelined()) {
        return torch.reshard == Reshard::Always
                   ? reshardingPipeline(view)
                   : UnitTimes{.forward = view.passes, .reduced = view.passes};
    }
    const bool last = torch.sync == GradientSync::LastMicroBatch;
    return {.forward = view.microBatches,
            .backward = unit.kept ? 0 : view.microBatches,
            .reduced = last ? 1 : view.microBatches};
}

void addGathers(Calls& calls, const StageView& view, const FsdpUnit& unit, UnitTimes times) {
    if (unit.ranks == 1) {
        return;
    }
    // A schedule with several stages a rank gathers by an action of its own, before the forward.
    const bool apart = view.pipelined() && view.chunks.size() > 1;
    CommCall gather{.group = unit.group,
                    .op = CommOp::AllGather,
                    .type = view.compute,
                    .phase = apart ? CommPhase::Other : CommPhase::Forward,
                    .use = CommUse::ParameterGather,
                    .place = unit.place,
                    .sparse = unit.sparse,
                    .chunk = unit.chunk,
                    .elements = unit.elements,
                    .parts = unit.count,
                    .times = times.forward};
    add(calls, gather);
    gather.phase = CommPhase::Backward;
    gather.times = times.backward;
    add(calls, gather);
    gather.phase = CommPhase::Other;
    gather.times = unit.lossGather ? view.microBatches : 0;
    add(calls, gather);
}

void addReductions(Calls& calls, const StageView& view, const FsdpUnit& unit, UnitTimes times) {
    for (const std::int64_t elements : unit.reduced) {
        CommCall reduction{.group = unit.group,
                           .op = CommOp::ReduceScatter,
                           .type = view.reduce,
                           .phase = view.pipelined() ? CommPhase::Other : CommPhase::Backward,
                           .use = CommUse::GradientReduce,
                           .place = unit.place,
                           .sparse = unit.sparse,
                           .chunk = unit.chunk,
                           .elements = elements,
                           .parts = unit.count,
                           .times = times.reduced};
        if (unit.ranks > 1) {
            add(calls, reduction);
        }
        if (view.copies > 1) {
            reduction.group = GroupKind::Replicate;
            reduction.op = CommOp::AllReduce;
            reduction.elements = elements / unit.ranks;
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
        add(calls, normOver(GroupKind::Shard, entries.dense));
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
    if (view.pipelined() && view.chunks.size() > 1 &&
        view.settings().torch.reshard == Reshard::Always) {
        return fail(Error::Code::Unsupported,
                    "settings.torch.reshard",
                    "how often a schedule with several stages per rank gathers when it always "
                    "reshards is not known",
                    "reshard default, or one stage per rank");
    }
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        for (const FsdpUnit& unit : fsdpUnits(view, chunk)) {
            const UnitTimes times = timesOf(view, unit);
            addGathers(calls, view, unit, times);
            addReductions(calls, view, unit, times);
        }
    }
    append(calls, normCalls(view));
    return calls;
}

}  // namespace fabricast
