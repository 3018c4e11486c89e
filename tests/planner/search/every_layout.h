#pragma once
#include "planner/stack/stack.h"
#include "tests/planner/search/search_example.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fabricast {

/// Every layout of a small world under one stack, by loops over all values of all keys: what the
/// search has to find without them. A layout that runs as another one does represents it.
class EveryLayout {
public:
    using Run = std::tuple<Layout, Checkpointing>;

    EveryLayout(const SearchTask& task, const StackSettings& how)
        : task_(task), base_(task.base), how_(how), axes_(how.stack->axes) {
        for (const std::int64_t tp : sizes()) {
            for (const std::int64_t pp : sizes()) {
                for (const std::int64_t cp : sizes()) {
                    if (base_.cluster.gpus() % (tp * pp * cp) == 0) {
                        addStates({.dp = base_.cluster.gpus() / (tp * pp * cp),
                                   .tp = tp,
                                   .pp = pp,
                                   .cp = cp});
                    }
                }
            }
        }
    }

    /// Those that the stack takes.
    [[nodiscard]] std::vector<Scenario> scenarios() const {
        std::vector<Scenario> taken;
        const bool held = task_.rules.fixed.says("recompute");
        for (const auto& [layout, recompute] : runs_) {
            if (held && recompute != Checkpointing::None) {
                continue;
            }
            Scenario scenario = base_;
            scenario.stack = std::string(how_.stack->name);
            scenario.layout = layout;
            scenario.settings = how_.settingsFor(layout).value();
            if (!held) {
                scenario.settings.recompute = recomputeFor(*how_.stack, {.kind = recompute});
            }
            if (how_.stack->check(scenario)) {
                taken.push_back(std::move(scenario));
            }
        }
        return taken;
    }

private:
    static std::array<std::int64_t, 5> sizes() { return {1, 2, 4, 8, 16}; }

    template <class T>
    static std::vector<T> with(T usual, std::span<const T> more) {
        std::vector<T> values(more.begin(), more.end());
        if (std::find(values.begin(), values.end(), usual) == values.end()) {
            values.push_back(usual);
        }
        return values;
    }

    void addStates(Layout layout) {
        for (const Shard shard : axes_.shards) {
            // Where offload is for who asks, nothing else is searched.
            const auto offloads =
                axes_.offloadsIfAsked ? std::span<const Offload>() : axes_.offloads;
            for (const Offload offload : with(Offload::None, offloads)) {
                for (const CpKind kind : with(CpKind::Ring, axes_.context)) {
                    for (const RankPlacement placement :
                         with(RankPlacement::DpInside, axes_.placements)) {
                        layout.shard = shard;
                        layout.offload = offload;
                        layout.cpKind = kind;
                        layout.placement = placement;
                        addExperts(layout);
                    }
                }
            }
        }
    }

    void addExperts(Layout layout) {
        for (const std::int64_t ep : {1, 2, 4, 8}) {
            for (const std::int64_t etp : {std::int64_t{1}, layout.tp}) {
                for (const bool sp : {false, true}) {
                    layout.ep = ep;
                    layout.etp = etp;
                    layout.sp = sp;
                    addOrders(layout);
                }
            }
        }
    }

    void addOrders(Layout layout) {
        for (const ScheduleKind schedule : with(ScheduleKind::None, axes_.schedules)) {
            for (const std::int64_t vpp : {1, 2, 4}) {
                for (const std::int64_t samples : sizes()) {
                    layout.schedule = schedule;
                    layout.vpp = vpp;
                    layout.microBatch = samples;
                    if (isWhole(layout)) {
                        addRecompute(asItRuns(layout));
                    }
                }
            }
        }
    }

    void addRecompute(const Layout& layout) {
        const auto kinds = how_.stack->methods.recompute;
        for (const Checkpointing kind :
             {Checkpointing::None, Checkpointing::Selective, Checkpointing::Full}) {
            const Checkpointing own = recomputeFor(*how_.stack, {.kind = kind}).kind;
            if (kind == Checkpointing::None ||
                std::find(kinds.begin(), kinds.end(), own) != kinds.end()) {
                runs_.insert({layout, kind});
            }
        }
    }

    /// Within the search space of docs/search.md.
    [[nodiscard]] bool isWhole(const Layout& layout) const {
        const PartialLayout& fixed = task_.rules.fixed;
        const bool held = (!fixed.says("tp") || fixed.layout.tp == layout.tp) &&
                          (!fixed.says("pp") || fixed.layout.pp == layout.pp) &&
                          (!fixed.says("cp") || fixed.layout.cp == layout.cp);
        const WorkloadSpec& workload = base_.workload;
        const bool deep = layout.pp * layout.vpp <= base_.model.layers;
        const bool orders = (layout.schedule == ScheduleKind::None) == (layout.pp == 1);
        const bool tensor = layout.tp <= base_.cluster.node.gpus;
        const bool experts = base_.model.moe
                                 ? base_.model.moe->experts % layout.ep == 0 &&
                                       layout.world() / layout.pp % (layout.ep * layout.etp) == 0
                                 : layout.ep == 1;
        return held && deep && orders && tensor && experts && (layout.pp > 1 || layout.vpp == 1) &&
               (fixed.says("cp") ||
                workload.sequence / layout.cp >= (layout.cp > 2 ? 2048 : 256)) &&
               workload.globalBatch % (layout.dp * layout.microBatch) == 0;
    }

    /// Unused keys at their default values.
    [[nodiscard]] Layout asItRuns(Layout layout) const {
        const std::int64_t inner = layout.tp * layout.cp;
        if (layout.pp == 1 || layout.dp == 1 || inner >= base_.cluster.node.gpus ||
            base_.cluster.nodes == 1) {
            layout.placement = RankPlacement::DpInside;
        }
        layout.cpKind = layout.cp == 1 ? CpKind::Ring : layout.cpKind;
        layout.sp = layout.sp && layout.tp > 1;
        if (layout.replicas() == 1) {
            layout.shard = axes_.shards.front();
        }
        if (!base_.model.moe) {
            layout.etp = layoutDefaults(*how_.stack, layout).etp;
        }
        if (layout.shard == Shard::Hsdp) {
            layout.shardSize = base_.cluster.node.gpus / inner * layout.cp;  // of one node
            if (layout.shardSize <= 1 || layout.replicas() % layout.shardSize != 0 ||
                layout.shardSize == layout.replicas()) {
                layout.shardSize = 0;
                layout.shard = Shard::Fsdp;
            }
        }
        return layout;
    }

    const SearchTask& task_;
    const Scenario& base_;
    const StackSettings& how_;
    StackAxes axes_;
    std::set<Run> runs_;
};

}  // namespace fabricast
