#include "planner/spec/stage_split.h"
#include "planner/stack/stack.h"
#include "planner/stack/state_bytes.h"
#include "planner/stack/step_collectives.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace fabricast {
namespace {

// Sizes that occur, sizes that do not divide, and nonsensical sizes.
rc::Gen<std::int64_t> anySize() {
    return rc::gen::weightedOneOf<std::int64_t>(
        {{30, rc::gen::element<std::int64_t>(1, 1, 1, 2, 2, 4, 8, 16)},
         {4, rc::gen::inRange<std::int64_t>(1, 130)},
         {1, rc::gen::element<std::int64_t>(0, -1, 1LL << 40, INT64_MAX, INT64_MIN)}});
}

template <class T>
T anyOf(T last) {
    return static_cast<T>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}

Layout anyLayout(const Stack& stack) {
    Layout layout;
    layout.tp = *anySize();
    layout.pp = *anySize();
    layout.vpp = *rc::gen::weightedOneOf<std::int64_t>(
        {{4, rc::gen::just<std::int64_t>(1)}, {1, anySize()}});
    layout.cp = *anySize();
    layout.dp = *anySize();
    layout.ep = *anySize();
    layout.etp = *anySize();
    layout.microBatch = *anySize();
    const LayoutDefaults untyped = layoutDefaults(stack, layout);
    const bool typed = *rc::gen::arbitrary<bool>();
    layout.shard = typed ? anyOf(Shard::Hsdp) : untyped.shard;
    layout.schedule = typed ? anyOf(ScheduleKind::DualPipeV) : untyped.schedule;
    layout.cpKind = typed ? anyOf(CpKind::Hierarchical) : untyped.cpKind;
    layout.offload = typed ? anyOf(Offload::Activations) : Offload::None;
    layout.placement = typed ? anyOf(RankPlacement::PpInside) : RankPlacement::DpInside;
    layout.etp = typed ? layout.etp : untyped.etp;
    layout.sp = *rc::gen::arbitrary<bool>();
    layout.shardSize = *rc::gen::element<std::int64_t>(0, 0, 2, 8);
    return layout;
}

/// The same scenario with what the stack lacks left out, and as many GPUs and samples as it needs:
/// most are refused otherwise, and then nothing is asked of them.
void makeLikely(const Stack& stack, Scenario& scenario) {
    Layout& layout = scenario.layout;
    const auto keep = [](std::int64_t& size, bool supported) {
        size = supported && size > 0 && size < 200 ? size : 1;
    };
    keep(layout.dp, true);
    keep(layout.microBatch, true);
    keep(layout.tp, stack.axes.tensor);
    keep(layout.pp, stack.axes.pipeline);
    keep(layout.cp, !stack.axes.context.empty());
    keep(layout.ep, stack.axes.expert && scenario.model.moe.has_value());
    layout.sp = stack.axes.sequence && layout.tp > 1;
    const LayoutDefaults untyped = layoutDefaults(stack, layout);
    layout.vpp = untyped.vpp;
    layout.etp = scenario.model.moe ? 1 : untyped.etp;
    layout.schedule = untyped.schedule;
    layout.shard = untyped.shard;
    layout.cpKind = untyped.cpKind;
    layout.shardSize = 0;
    layout.offload = Offload::None;
    layout.placement = RankPlacement::DpInside;
    scenario.cluster.node.gpus = 1;
    scenario.cluster.nodes = layout.world();
    scenario.workload.globalBatch = layout.dp * layout.microBatch * layout.pp * 2;
    scenario.workload.sequence = 8192;
}

Scenario anyScenario(const Stack& stack) {
    Scenario scenario;
    scenario.layout = anyLayout(stack);
    scenario.model.layers = *rc::gen::element<std::int64_t>(1, 16, 32, 61, 80, 126);
    scenario.model.hidden = 4096;
    scenario.model.vocab = 128256;
    scenario.model.attention = {.heads = *rc::gen::element<std::int64_t>(8, 32, 40),
                                .kvHeads = *rc::gen::element<std::int64_t>(1, 8),
                                .headDim = 128};
    if (*rc::gen::arbitrary<bool>()) {
        scenario.model.moe = MoeSpec{.experts = 64, .topK = 4, .expertWidth = 1024};
    }
    scenario.workload.sequence = *rc::gen::element<std::int64_t>(1, 4096, 8191, 8192);
    scenario.workload.globalBatch = *rc::gen::element<std::int64_t>(1, 64, 1024, 4096);
    scenario.cluster.node.gpus = 8;
    scenario.cluster.nodes = *rc::gen::inRange<std::int64_t>(1, 33);
    if (*rc::gen::inRange(0, 4) > 0) {
        makeLikely(stack, scenario);
    }
    return scenario;
}

void expectUsable(const Stack& stack, const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    RC_ASSERT(layout.world() == scenario.cluster.gpus());
    RC_ASSERT(scenario.microBatches() >= 1);
    RC_ASSERT(scenario.microBatches() * layout.microBatch * layout.dp ==
              scenario.workload.globalBatch);
    RC_ASSERT((layout.shardSize == 0 || layout.replicas() % layout.shardSize == 0));
    const auto split = splitLayers(
        scenario.model.layers,
        {.stages = layout.pp, .chunks = layout.vpp, .pipeline = scenario.settings.pipeline});
    RC_ASSERT(split.has_value());
    RC_ASSERT(stateBytes(scenario.settings, layout).whole() >= 0);
    RC_ASSERT(!stepCollectives(scenario.settings, layout, {.all = 1000}).empty());
    if (layout.world() <= 4096) {
        const RankOrder order = rankOrderOf(stack, layout);
        for (const GroupKind kind : {GroupKind::Tensor, GroupKind::Shard, GroupKind::ExpertShard}) {
            std::size_t ranks = 0;
            for (const RankGroup& group : rankGroups(layout, order, kind)) {
                ranks += group.size();
            }
            RC_ASSERT(ranks == static_cast<std::size_t>(layout.world()));
        }
    }
}

// Any scenario is accepted or refused with a place and a reason; an accepted one deals its samples,
// layers and ranks out without a remainder.
RC_GTEST_PROP(StackProperty, AcceptedLayoutsDivide, ()) {
    for (const Stack& stack : allStacks()) {
        Scenario scenario = anyScenario(stack);
        scenario.settings = defaultSettings(stack, scenario.model, scenario.layout);
        const auto verdict = stack.check(scenario);
        if (verdict) {
            RC_TAG(std::string(stack.name));
            expectUsable(stack, scenario);
        } else {
            RC_ASSERT(!verdict.error().where.empty());
            RC_ASSERT(!verdict.error().why.empty());
        }
    }
}

}  // namespace
}  // namespace fabricast
