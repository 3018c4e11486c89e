#include "simulator/topology/topology_facts.h"

#include "simulator/network/fabric_cuts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

std::vector<LinkTier> tiersOf(const Topology& topology) {
    std::map<std::tuple<LinkKind, DeviceKind, DeviceKind>, LinkTier> tiers;
    for (const NetworkLink& link : topology.links()) {
        const DeviceKind one = topology.devices()[link.from].kind;
        const DeviceKind other = topology.devices()[link.to].kind;
        const auto [from, to] = std::minmax(one, other);
        LinkTier& tier = tiers[{link.kind, from, to}];
        tier.from = from;
        tier.to = to;
        tier.kind = link.kind;
        tier.least = tier.links == 0 ? link.bandwidth : std::min(tier.least, link.bandwidth);
        tier.most = std::max(tier.most, link.bandwidth);
        tier.together += link.bandwidth;
        tier.assumed = tier.assumed || link.assumed;
        tier.cables += link.cables;
        ++tier.links;
    }
    std::vector<LinkTier> rows;
    for (auto& [key, tier] : tiers) {
        rows.push_back(tier);
    }
    return rows;
}

/// The first node at the end of one of the links, or below the switch there.
std::optional<std::int32_t> nodeTouched(const Topology& topology,
                                        const std::vector<LinkIndex>& links) {
    for (const LinkIndex link : links) {
        for (const DeviceIndex end : {topology.links()[link].from, topology.links()[link].to}) {
            if (topology.devices()[end].node != kNoNode) {
                return topology.devices()[end].node;
            }
        }
    }
    for (const LinkIndex link : links) {
        for (const DeviceIndex end : {topology.links()[link].from, topology.links()[link].to}) {
            for (const Hop hop : topology.hops(end)) {
                if (topology.devices()[hop.to].node != kNoNode) {
                    return topology.devices()[hop.to].node;
                }
            }
        }
    }
    return std::nullopt;
}

Result<OutageEffect> outageOf(const Topology& topology, const std::vector<std::string>& names) {
    OutageEffect effect;
    effect.failed = names;
    FABRICAST_ASSIGN(const std::vector<LinkIndex> down, linksDown(topology, names));
    const Topology rest = topology.without(down);
    effect.down = down;
    effect.reach = gpuReach(rest);
    effect.bisection = bisection(rest);
    if (const auto node = nodeTouched(topology, down); node && topology.nodes() > 1) {
        effect.node = nodeName(topology, *node);
        effect.nodeBefore = nodeCut(topology, *node).bandwidth;
        effect.nodeAfter = nodeCut(rest, *node).bandwidth;
    }
    return effect;
}

}  // namespace

Result<void> checkReach(const Topology& topology) {
    const GpuReach reach = gpuReach(topology);
    if (reach.apart.empty()) {
        return {};
    }
    const std::string rest =
        reach.apart.size() == 1 ? "" : " and " + std::to_string(reach.apart.size() - 1) + " more";
    return fail(
        Error::Code::BadInput,
        "",
        topology.devices()[reach.apart.front()].name + rest + " cannot reach the other GPUs",
        "add a link between them");
}

Result<TopologyFacts> topologyFacts(const DescribedTopology& described,
                                    const std::vector<std::string>& fail) {
    const Topology& topology = described.topology;
    TopologyFacts facts;
    facts.title = described.title;
    facts.assumed = described.assumed;
    for (const NetworkDevice& device : topology.devices()) {
        ++facts.count[static_cast<std::size_t>(device.kind)];
    }
    facts.nodes = static_cast<std::int64_t>(topology.nodes());
    facts.tiers = tiersOf(topology);
    facts.bisection = bisection(topology);
    if (topology.nodes() > 1) {
        facts.node = nodeCut(topology, topology.devices()[topology.gpus().front()].node);
    }
    facts.singlePoints = singlePoints(topology);
    if (!fail.empty()) {
        FABRICAST_ASSIGN(facts.outage, outageOf(topology, fail));
    }
    return facts;
}

}  // namespace fabricast
