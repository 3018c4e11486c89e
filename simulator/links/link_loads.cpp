#include "simulator/links/link_loads.h"

#include "planner/base/check.h"
#include "simulator/network/local_paths.h"

#include <limits>
#include <utility>

namespace fabricast {
namespace {

constexpr DeviceIndex kNoLeaf = std::numeric_limits<DeviceIndex>::max();

}  // namespace

LinkLoads::LinkLoads(const Topology& topology)
    : topology_(topology),
      router_(topology),
      nodes_(topology),
      switches_(topology),
      simple_(nodes_.apart()),
      cabling_(topology.nodes()),
      sums_(topology.links().size() * 2) {
    findCables();
}

void LinkLoads::findCables() {
    std::map<std::vector<DeviceIndex>, std::uint32_t> known;
    for (std::size_t node = 0; node < topology_.nodes(); ++node) {
        std::vector<DeviceIndex> leaves;
        for (const DeviceIndex device : topology_.devicesOf(static_cast<std::int32_t>(node))) {
            if (topology_.devices()[device].kind != DeviceKind::Nic) {
                continue;
            }
            std::size_t count = 0;
            for (const Hop hop : topology_.hops(device)) {
                if (topology_.links()[hop.link].kind == LinkKind::Network) {
                    ++count;
                    leaves.push_back(hop.to);
                    cables_[device] = hop;
                    simple_ = simple_ && isFabric(topology_.devices()[hop.to].kind);
                }
            }
            simple_ = simple_ && count <= 1;
            if (count == 0) {  // its cable is down: no way goes by it, and it keeps its place
                leaves.push_back(kNoLeaf);
            }
        }
        const auto [entry, isNew] =
            known.try_emplace(leaves, static_cast<std::uint32_t>(known.size()));
        cabling_[node] = entry->second;
        if (isNew) {
            leaves_.push_back(std::move(leaves));
        }
    }
}

std::vector<ResourceUse> LinkLoads::of(const std::vector<RankTraffic>& traffic) {
    const auto gpus = topology_.gpus();
    for (const RankTraffic& one : traffic) {
        add(gpus[static_cast<std::size_t>(one.from)],
            gpus[static_cast<std::size_t>(one.to)],
            one.share);
    }
    for (const auto& [leaves, bytes] : between_) {
        switches_.add(leaves.first, leaves.second, bytes, sums_);
    }
    between_.clear();
    return sums_.take();
}

void LinkLoads::add(DeviceIndex from, DeviceIndex to, double share) {
    if (!simple_) {
        addAnyWay(from, to, share);
    } else if (topology_.devices()[from].node == topology_.devices()[to].node) {
        addOwn(topology_.devices()[from].node, inside(from, to, true), share);
    } else {
        addCrossing(from, to, share);
    }
}

void LinkLoads::addAnyWay(DeviceIndex from, DeviceIndex to, double share) {
    const auto route = router_.route(from, to, {.spread = Spread::Evenly});
    FABRICAST_CHECK(route.has_value());
    for (const ResourceUse use : route->uses) {
        sums_.add(use.resource, use.share * share);
    }
}

void LinkLoads::addCrossing(DeviceIndex from, DeviceIndex to, double share) {
    const std::int32_t here = topology_.devices()[from].node;
    const std::int32_t there = topology_.devices()[to].node;
    const Crossings& ways = crossings(from, to);
    FABRICAST_CHECK(!ways.empty());
    for (const Crossing& way : ways) {
        const double part = way.share * share;
        const DeviceIndex out = nodes_.device(here, way.out);
        const DeviceIndex in = nodes_.device(there, way.in);
        addOwn(here, inside(from, out, true), part);
        addOwn(there, inside(to, in, false), part);
        addCable(out, true, part);
        addCable(in, false, part);
        between_[{cables_.at(out).to, cables_.at(in).to}] += part;
    }
}

void LinkLoads::addCable(DeviceIndex nic, bool leaving, double share) {
    const LinkIndex link = cables_.at(nic).link;
    sums_.add(resourceOf(link, (topology_.links()[link].from == nic) == leaving), share);
}

void LinkLoads::addOwn(std::int32_t node, const OwnUses& uses, double share) {
    const auto links = nodes_.links(node);
    for (const OwnUse& use : uses) {
        sums_.add(resourceOf(links[use.link], use.forward), use.share * share);
    }
}

const LinkLoads::OwnUses& LinkLoads::inside(DeviceIndex gpu, DeviceIndex device, bool outward) {
    const std::uint32_t make = nodes_.makeOf(topology_.devices()[gpu].node);
    const auto [entry, isNew] = inside_.try_emplace(
        {make, nodes_.numberOf(gpu), nodes_.numberOf(device), outward ? 1U : 0U});
    if (isNew) {
        for (const ResourceUse use : router_.localUses(gpu, device, outward)) {
            entry->second.push_back(
                {nodes_.numberOfLink(use.resource / 2), use.resource % 2 == 0, use.share});
        }
    }
    return entry->second;
}

/// Equal for pairs of nodes whose NICs are as many hops from each other.
std::uint32_t LinkLoads::distanceOf(std::int32_t here, std::int32_t there) {
    const std::pair pair(cabling_[static_cast<std::size_t>(here)],
                         cabling_[static_cast<std::size_t>(there)]);
    const auto [entry, isNew] = distances_.try_emplace(pair);
    if (isNew) {
        std::vector<std::uint16_t> hops;
        for (const DeviceIndex from : leaves_[pair.first]) {
            for (const DeviceIndex to : leaves_[pair.second]) {
                const bool cabled = from != kNoLeaf && to != kNoLeaf;
                hops.push_back(cabled ? switches_.hops(from, to) : FabricPaths::kUnreached);
            }
        }
        entry->second = hops_.try_emplace(std::move(hops), static_cast<std::uint32_t>(hops_.size()))
                            .first->second;
    }
    return entry->second;
}

const LinkLoads::Crossings& LinkLoads::crossings(DeviceIndex from, DeviceIndex to) {
    const std::int32_t here = topology_.devices()[from].node;
    const std::int32_t there = topology_.devices()[to].node;
    const auto [entry, isNew] = crossings_.try_emplace({nodes_.makeOf(here),
                                                        nodes_.makeOf(there),
                                                        distanceOf(here, there),
                                                        nodes_.numberOf(from),
                                                        nodes_.numberOf(to)});
    if (isNew) {
        const std::vector<Router::NicPair> pairs = router_.nicPairs(from, to, true);
        for (const Router::NicPair& pair : pairs) {
            entry->second.push_back({nodes_.numberOf(pair.from),
                                     nodes_.numberOf(pair.to),
                                     1.0 / static_cast<double>(pairs.size())});
        }
    }
    return entry->second;
}

}  // namespace fabricast
