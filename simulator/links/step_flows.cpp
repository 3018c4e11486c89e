#include "simulator/links/step_flows.h"

#include "simulator/links/link_use.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/network/fabric_cuts.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : " and ") + name;
    }
    return text;
}

/// The topology without what failed, where all GPUs still reach each other.
Result<Topology> withoutFailed(const Topology& whole, const std::vector<std::string>& failed) {
    FABRICAST_ASSIGN(const std::vector<LinkIndex> down, linksDown(whole, failed));
    Topology rest = whole.without(down);
    const GpuReach reach = gpuReach(rest);
    if (!reach.apart.empty()) {
        return fail(Error::Code::BadInput,
                    "--fail",
                    "without " + listed(failed) + ", " + std::to_string(reach.apart.size()) +
                        " of " + std::to_string(rest.gpus().size()) +
                        " GPUs cannot reach the other GPUs, so that no step ends",
                    "fabricast topology --fail … reports what is cut off");
    }
    return rest;
}

/// Its nodes at each of its sites.
Result<DescribedTopology> topologyOf(const ClusterSpec& cluster, bool fails) {
    const SitesSpec& sites = cluster.sites;
    ClusterSpec site = cluster;
    site.nodes = cluster.nodes / sites.count;
    site.sites = {};
    return clusterTopology(
        site,
        {.wan = {.sites = sites.count, .bandwidth = sites.rate, .latency = sites.latency},
         .fails = fails});
}

/// What a byte of each rank takes of the link that is used most, in seconds.
double longestOf(const std::vector<ResourceUse>& uses, const Topology& topology) {
    const std::vector<BytesPerSecond> capacities = resourceCapacities(topology);
    double longest = 0.0;
    for (const ResourceUse use : uses) {
        longest = std::max(longest, use.share / capacities[use.resource].count());
    }
    return longest;
}

}  // namespace

Result<StepFlows> StepFlows::of(const Scenario& scenario,
                                const RankOrder& order,
                                Actors actors,
                                const std::vector<std::string>& failed) {
    FABRICAST_ASSIGN(DescribedTopology built, topologyOf(scenario.cluster, !failed.empty()));
    StepFlows flows;
    flows.topology_ = std::make_shared<const Topology>(std::move(built.topology));
    if (!failed.empty()) {
        flows.whole_ = flows.topology_;
        flows.wholeLinks_ = std::make_unique<LinkLoads>(*flows.whole_);
        FABRICAST_ASSIGN(Topology rest, withoutFailed(*flows.whole_, failed));
        flows.topology_ = std::make_shared<const Topology>(std::move(rest));
    }
    flows.links_ = std::make_unique<LinkLoads>(*flows.topology_);
    flows.layout_ = scenario.layout;
    flows.order_ = order;
    flows.nodeRanks_ = std::max(scenario.cluster.node.gpus, scenario.cluster.node.domainGpus);
    flows.siteRanks_ = scenario.cluster.sites.count > 1 ? scenario.cluster.siteGpus() : 0;
    flows.actors_ = actors;
    flows.pipelines_ = rankGroups(scenario.layout, order, GroupKind::Pipeline);
    flows.stageOf_.resize(static_cast<std::size_t>(scenario.layout.world()));
    flows.memberOf_.resize(flows.stageOf_.size());
    for (std::size_t member = 0; member < flows.pipelines_.size(); ++member) {
        const RankGroup& pipeline = flows.pipelines_[member];
        for (std::size_t stage = 0; stage < pipeline.size(); ++stage) {
            const auto rank = static_cast<std::size_t>(pipeline[stage].index());
            flows.stageOf_[rank] = stage;
            flows.memberOf_[rank] = member;
        }
    }
    return flows;
}

std::uint32_t StepFlows::collective(std::size_t stage, SimStream stream, const SentBytes& sent) {
    return flowOf({.from = stage,
                   .to = stage,
                   .group = sent.group,
                   .pattern = patternOf(sent.op),
                   .stream = stream},
                  sent.rate());
}

std::uint32_t StepFlows::handOver(std::size_t from, std::size_t to, const SentBytes& sent) {
    return flowOf({.from = from,
                   .to = to,
                   .pattern = TrafficPattern::Neighbour,
                   .stream = SimStream::Pipeline},
                  sent.rate());
}

std::uint32_t StepFlows::flowOf(const TrafficKind& kind, double rate) {
    if (!topology_ || rate <= 0.0) {
        return kNoFlow;
    }
    const std::size_t number = kindOf(kind);
    const auto [entry, isNew] =
        known_.try_emplace({number, rate}, static_cast<std::uint32_t>(flows_.size()));
    for (std::size_t member = 0; isNew && member < loads_[number].size(); ++member) {
        flows_.push_back({number, member, rate});
    }
    return entry->second;
}

std::size_t StepFlows::kindOf(const TrafficKind& kind) {
    const auto [entry, isNew] = kinds_.try_emplace(kind, kindList_.size());
    if (!isNew) {
        return entry->second;
    }
    kindList_.push_back(kind);
    const std::vector<RankTraffic> traffic = trafficOf(kind);
    if (whole_) {
        usual_.push_back(longestOf(wholeLinks_->of(traffic), *whole_));
    }
    if (actors_ == Actors::Classes) {
        loads_.push_back({links_->of(traffic)});
        return entry->second;
    }
    std::vector<std::vector<RankTraffic>> own(pipelines_.size());
    for (const RankTraffic& one : traffic) {
        own[memberOf_[static_cast<std::size_t>(one.from)]].push_back(one);
    }
    loads_.emplace_back();
    for (const std::vector<RankTraffic>& member : own) {
        loads_.back().push_back(links_->of(member));
    }
    return entry->second;
}

std::vector<RankTraffic> StepFlows::trafficOf(const TrafficKind& kind) const {
    std::vector<RankTraffic> traffic;
    if (kind.from != kind.to) {
        for (const RankGroup& pipeline : pipelines_) {
            traffic.push_back({pipeline[kind.from].index(), pipeline[kind.to].index(), 1.0});
        }
        return traffic;
    }
    for (const RankGroup& group : rankGroups(layout_, order_, kind.group)) {
        for (const RankTraffic& one : groupTraffic(group, kind.pattern, nodeRanks_, siteRanks_)) {
            if (stageOf_[static_cast<std::size_t>(one.from)] == kind.from) {
                traffic.push_back(one);
            }
        }
    }
    return traffic;
}

Result<void> StepFlows::slow(const std::string& link, double factor) {
    const auto found = topology_ ? topology_->link(link) : std::nullopt;
    if (!found) {
        const std::string known =
            topology_ && !topology_->links().empty() ? topology_->linkName(0) : "node0/nic0-leaf0";
        return fail(Error::Code::NotFound,
                    "--stragglers",
                    "the cluster's graph has no link \"" + link + "\"",
                    "a name as in fabricast topology --format dot: \"" + known + "\"");
    }
    for (const bool forth : {true, false}) {
        slow_[resourceOf(*found, forth)] = factor;
    }
    return {};
}

void StepFlows::finish(SimProgram& program) {
    if (topology_) {
        program.setFlows(sharedFlows({kindList_, loads_, flows_, usual_}, *topology_, slow_));
    }
}

}  // namespace fabricast
