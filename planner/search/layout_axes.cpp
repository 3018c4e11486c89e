#include "planner/search/layout_axes.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Ascending.
std::vector<std::int64_t> divisors(std::int64_t number) {
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) {
            small.push_back(divisor);
            if (divisor * divisor != number) {
                large.push_back(number / divisor);
            }
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

/// One node's ranks share a copy of the states; where a node does not divide them, none do.
std::int64_t nodeShare(const Layout& layout, std::int64_t gpusPerNode) {
    const std::int64_t perNode =
        std::max<std::int64_t>(1, gpusPerNode / layout.tp) / layout.cp * layout.cp;
    return perNode > 1 && layout.replicas() % perNode == 0 ? perNode : layout.replicas();
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::vector<Layout> LayoutAxes::ranks() const {
    const std::int64_t world = base_.cluster.gpus();
    const std::int64_t joined = std::max<std::int64_t>(1, base_.cluster.node.domainGpus);
    const std::int64_t node = std::max(joined, base_.cluster.node.gpus);
    std::vector<Layout> found;
    for (const std::int64_t tp : divisors(world)) {
        const bool reaches = tp <= node || rules_.tensorAcrossNodes;
        if (!reaches || (tp > 1 && !stack_.axes.tensor) || !rules_.take("tp", &Layout::tp, tp)) {
            continue;
        }
        for (const bool sp : {false, true}) {
            if ((sp && (tp == 1 || !stack_.axes.sequence)) || !rules_.take("sp", &Layout::sp, sp)) {
                continue;
            }
            for (const std::int64_t pp : divisors(world / tp)) {
                const bool deep = pp > 1 && (!stack_.axes.pipeline || pp > base_.model.layers);
                if (!deep && rules_.take("pp", &Layout::pp, pp)) {
                    addContext({.tp = tp, .sp = sp, .pp = pp}, found);
                }
            }
        }
    }
    return found;
}

void LayoutAxes::addContext(Layout layout, std::vector<Layout>& found) const {
    const std::int64_t sequence = base_.workload.sequence;
    const std::int64_t rest = base_.cluster.gpus() / layout.tp / layout.pp;
    for (const std::int64_t cp : divisors(rest)) {
        const std::int64_t least = cp > 2 ? kFillingTokensOfRank : kLeastTokensOfRank;
        const bool isShort = sequence / cp < least && !rules_.fixed.says("cp");
        const bool too = cp > 1 && (sequence % cp != 0 || isShort);
        layout.cp = cp;
        layout.dp = rest / cp;
        if (too || base_.workload.globalBatch % layout.dp != 0 ||
            !rules_.take("cp", &Layout::cp, cp) || !rules_.take("dp", &Layout::dp, layout.dp)) {
            continue;
        }
        if (cp == 1) {
            layout.cpKind = CpKind::Ring;
            found.push_back(layout);
            continue;
        }
        for (const CpKind kind : stack_.axes.context) {
            if (rules_.take("cp_kind", &Layout::cpKind, kind)) {
                layout.cpKind = kind;
                found.push_back(layout);
            }
        }
    }
}

bool LayoutAxes::keepsOwnStates(const Layout& ranks) const {
    const auto typesOf = [&](Shard shard) {
        Layout layout = ranks;
        layout.shard = shard;
        return defaultSettings(stack_, base_.model, layout, base_.settings.tuning).precision;
    };
    return typesOf(Shard::None) != typesOf(stack_.axes.shards.front());
}

/// Whether the sharding keeps as many copies of the states as are held.
bool LayoutAxes::takeCopies(Layout& layout) const {
    const std::int64_t copies = rules_.fixed.copies;
    if (layout.replicas() % copies != 0) {
        return false;
    }
    if (layout.shard == Shard::Hsdp) {
        layout.shardSize = layout.replicas() / copies;
        return layout.shardSize > 1 || rules_.fixed.says("shard");
    }
    return copies == (layout.shard == Shard::None ? layout.replicas() : 1);
}

std::vector<Layout> LayoutAxes::states(const Layout& ranks, bool quantized) const {
    std::vector<Layout> found;
    for (const Shard shard : stack_.axes.shards) {
        // With one rank all shardings are one: the stack's usual.
        const bool same = ranks.replicas() == 1 && shard != usualShard(stack_, ranks) &&
                          !rules_.fixed.says("shard");
        // The exceptions are a quantised base, which is modelled where it is not sharded, and
        // software that keeps other states where it does not shard.
        const bool isOne = same && !(shard == Shard::None && (quantized || keepsOwnStates(ranks)));
        if (isOne || !rules_.take("shard", &Layout::shard, shard)) {
            continue;
        }
        Layout layout = ranks;
        layout.shard = shard;
        if (rules_.fixed.says("copies")) {
            if (!takeCopies(layout)) {
                continue;
            }
        } else if (rules_.fixed.says("shard_size")) {
            layout.shardSize = rules_.fixed.layout.shardSize;
            if (layout.shardSize > 0 && ranks.replicas() % layout.shardSize != 0) {
                continue;  // these ranks are not whole copies of the states
            }
        } else if (shard == Shard::Hsdp) {
            layout.shardSize = nodeShare(ranks, base_.cluster.node.gpus);
            if (layout.shardSize == ranks.replicas() && !rules_.fixed.says("shard")) {
                continue;
            }
        }
        addOffloads(layout, found);
    }
    return found;
}

/// What is held is taken as it is: the stack refuses it in its own words.
void LayoutAxes::addOffloads(Layout layout, std::vector<Layout>& found) const {
    const bool held = rules_.fixed.says("offload");
    const auto add = [&](Offload offload) {
        if (rules_.take("offload", &Layout::offload, offload)) {
            layout.offload = offload;
            found.push_back(layout);
        }
    };
    if (held) {
        add(rules_.fixed.layout.offload);
        return;
    }
    add(Offload::None);
    if (stack_.axes.offloadsIfAsked) {
        return;
    }
    const auto check = stack_.axes.checkOffload;
    for (const Offload offload : stack_.axes.offloads) {
        // What autograd saves is offloaded where a layout asks for it.
        if (offload != Offload::Activations && (check == nullptr || check(layout.shard, offload))) {
            add(offload);
        }
    }
}

std::vector<Layout> LayoutAxes::experts(const Layout& states) const {
    std::vector<Layout> found;
    const std::int64_t stageRanks = states.world() / states.pp;
    const std::int64_t most = base_.model.moe && stack_.axes.expert ? base_.model.moe->experts : 1;
    for (const std::int64_t ep : divisors(most)) {
        if (!rules_.take("ep", &Layout::ep, ep)) {
            continue;
        }
        for (const std::int64_t etp : {std::int64_t{1}, states.tp}) {
            // Without experts it says nothing: the stack's usual.
            const bool again = !base_.model.moe && etp != layoutDefaults(stack_, states).etp;
            const bool lacks = etp != 1 && !stack_.axes.expertTensor;
            if (again || lacks || stageRanks % (ep * etp) != 0 ||
                !rules_.take("etp", &Layout::etp, etp) ||
                !rules_.take("placement", &Layout::placement, usualPlacement())) {
                continue;
            }
            found.push_back(states);
            found.back().ep = ep;
            found.back().etp = etp;
            found.back().placement = usualPlacement();
            if (states.tp == 1) {
                break;
            }
        }
    }
    return found;
}

// With the pipeline inside dp, experts have to be split over as many ranks as the dense part.
bool LayoutAxes::swaps(const Layout& layout) const {
    const auto known = stack_.axes.placements;
    const bool has = std::find(known.begin(), known.end(), RankPlacement::PpInside) != known.end();
    if (!has || layout.placement != RankPlacement::DpInside || layout.pp == 1 || layout.dp == 1 ||
        (base_.model.moe && layout.dp != layout.expertReplicas())) {
        return false;
    }
    return layout.tp * layout.cp < mostJoined() &&
           rules_.take("placement", &Layout::placement, RankPlacement::PpInside);
}

/// As held; else dp inside, unless that is forbidden.
RankPlacement LayoutAxes::usualPlacement() const {
    if (rules_.fixed.says("placement")) {
        return rules_.fixed.layout.placement;
    }
    const bool usual = rules_.take("placement", &Layout::placement, RankPlacement::DpInside);
    return usual ? RankPlacement::DpInside : RankPlacement::PpInside;
}

/// GPUs beyond which the network is the same for all: whichever axis is outside them, nothing
/// changes.
std::int64_t LayoutAxes::mostJoined() const {
    const ClusterSpec& cluster = base_.cluster;
    const std::int64_t node =
        std::max({std::int64_t{1}, cluster.node.domainGpus, cluster.node.gpus});
    if (cluster.gpus() <= node) {
        return 1;
    }
    const bool tapers = cluster.fabric.oversubscription.value.value_or(1.0) > 1.0;
    return tapers || cluster.sites.count > 1 ? cluster.gpus() : node;
}

/// Those that deal the layers out evenly, with or without the two ends counted as layers.
std::vector<std::int64_t> LayoutAxes::chunks(std::int64_t ranks) const {
    std::vector<std::int64_t> found{1};
    const std::int64_t layers = base_.model.layers;
    // The model's ends may count as layers.
    for (std::int64_t each = 2; each <= std::min(kMostChunksOfRank, (layers + 2) / ranks); ++each) {
        const std::int64_t stages = ranks * each;
        const bool even = layers % stages == 0 || (layers + 2) % stages == 0;
        if (even || (each == 2 && stages <= layers)) {
            found.push_back(each);
        }
    }
    if (rules_.fixed.says("vpp") && !contains(found, rules_.fixed.layout.vpp)) {
        found.push_back(rules_.fixed.layout.vpp);
    }
    return found;
}

std::vector<Layout> LayoutAxes::orders(const Layout& experts) const {
    std::vector<Layout> found;
    Layout layout = experts;
    layout.scheduleGroup = rules_.fixed.says("group") ? rules_.fixed.layout.scheduleGroup : 0;
    if (layout.pp == 1) {
        layout.scheduleGroup = 0;
        if (rules_.take("vpp", &Layout::vpp, layout.vpp)) {
            found.push_back(layout);
        }
        return found;
    }
    const std::vector<std::int64_t> counts = chunks(layout.pp);
    for (const ScheduleKind schedule : stack_.axes.schedules) {
        if (!rules_.take("schedule", &Layout::schedule, schedule)) {
            continue;
        }
        for (const std::int64_t chunks : counts) {
            if ((chunks > 1 && !stack_.axes.virtualPipeline) ||
                !rules_.take("vpp", &Layout::vpp, chunks)) {
                continue;
            }
            layout.schedule = schedule;
            layout.vpp = chunks;
            found.push_back(layout);
        }
    }
    return found;
}

std::vector<std::int64_t> LayoutAxes::microBatches(const Layout& layout) const {
    std::vector<std::int64_t> found;
    for (const std::int64_t samples : divisors(base_.workload.globalBatch / layout.dp)) {
        if (rules_.take("micro_batch", &Layout::microBatch, samples)) {
            found.push_back(samples);
        }
    }
    return found;
}

std::vector<RecomputeSettings> LayoutAxes::recomputes(const Settings& usual) const {
    if (rules_.fixed.says("recompute")) {
        return {usual.recompute};
    }
    std::vector<RecomputeSettings> found;
    for (const Checkpointing kind :
         {Checkpointing::None, Checkpointing::Selective, Checkpointing::Full}) {
        const RecomputeSettings recompute = recomputeFor(stack_, {.kind = kind});
        const auto known = stack_.methods.recompute;
        const bool has = kind == Checkpointing::None ||
                         std::find(known.begin(), known.end(), recompute.kind) != known.end();
        if (has && rules_.takeRecompute(recompute)) {
            found.push_back(recompute);
        }
    }
    return found;
}

}  // namespace fabricast
