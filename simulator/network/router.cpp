#include "simulator/network/router.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kHopCost = 10;
/// To reach a NIC of another rail through PCIe, which only a failure makes worth it.
constexpr std::int64_t kOffRailCost = 1000;

/// Of the ways from every GPU of a node of thousands to every other, about 100 MB are kept.
constexpr std::size_t kMostLocal = 8'000'000;

/// Spreads consecutive flows over equal ways (the finalizer of splitmix64).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

LinkClass classOf(LinkKind kind) {
    switch (kind) {
        case LinkKind::NvLink:
            return LinkClass::NvLink;
        case LinkKind::Network:
        case LinkKind::Wan:
            return LinkClass::Network;
        default:
            return LinkClass::Pci;
    }
}

/// A GPU's NICs: those nearest to it.
std::int64_t nearest(const LocalPaths& paths, std::span<const DeviceIndex> nics) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const DeviceIndex nic : nics) {
        const auto found = paths.find(nic);
        least = found ? std::min(least, found->cost) : least;
    }
    return least;
}

std::vector<DeviceIndex> nicsOf(const Topology& topology, std::int32_t node) {
    std::vector<DeviceIndex> nics;
    for (const DeviceIndex device : topology.devicesOf(node)) {
        if (topology.devices()[device].kind == DeviceKind::Nic) {
            nics.push_back(device);
        }
    }
    return nics;
}

}  // namespace

std::vector<BytesPerSecond> resourceCapacities(const Topology& topology) {
    std::vector<BytesPerSecond> capacities;
    for (const NetworkLink& link : topology.links()) {
        capacities.insert(capacities.end(), 2, link.up ? link.bandwidth : BytesPerSecond(0));
    }
    return capacities;
}

std::shared_ptr<const LocalPaths> Router::local(DeviceIndex gpu) {
    if (const auto known = local_.find(gpu); known != local_.end()) {
        return known->second;
    }
    auto paths = std::make_shared<const LocalPaths>(search_.from(gpu));
    localSize_ += paths->size();
    if (localSize_ > kMostLocal) {
        local_.clear();
        localSize_ = paths->size();
    }
    local_.emplace(gpu, paths);
    return paths;
}

std::vector<Router::NicPair> Router::nicPairs(DeviceIndex from, DeviceIndex to, bool pxn) {
    const std::vector<DeviceIndex> sending = nicsOf(topology_, topology_.devices()[from].node);
    const std::vector<DeviceIndex> getting = nicsOf(topology_, topology_.devices()[to].node);
    const std::shared_ptr<const LocalPaths> near = local(from);
    const std::shared_ptr<const LocalPaths> far = local(to);
    const std::int64_t own = nearest(*near, sending);
    const std::int64_t theirs = nearest(*far, getting);
    const auto costOf = [&](const LocalReach& reach, std::int64_t least) {
        const bool fine = reach.cost == least || (pxn && reach.viaNvLink);
        return reach.cost + (fine ? 0 : kOffRailCost);
    };
    std::vector<NicPair> best;
    auto least = std::pair(std::numeric_limits<std::int64_t>::max(), std::int64_t{0});
    for (const DeviceIndex out : sending) {
        const auto left = near->find(out);
        for (const DeviceIndex in : getting) {
            const auto right = far->find(in);
            const std::uint16_t hops =
                left && right ? fabric_.hops(out, in) : FabricPaths::kUnreached;
            if (hops == FabricPaths::kUnreached) {
                continue;
            }
            const std::int64_t farCost = costOf(*right, theirs);
            const auto cost = std::pair(hops * kHopCost + costOf(*left, own) + farCost, farCost);
            if (cost < least) {
                least = cost;
                best.clear();
            }
            if (cost == least) {
                best.push_back({out, in, hops});
            }
        }
    }
    return best;
}

Router::NicPair Router::pairOf(const std::vector<NicPair>& pairs, const RouteOptions& options) {
    const auto number = [&options](const NicPair& pair) {
        return mixed(options.flow ^ mixed((std::uint64_t{pair.from} << 32U) | pair.to));
    };
    return *std::ranges::min_element(pairs, {}, number);
}

std::vector<ResourceUse> Router::localUses(DeviceIndex gpu, DeviceIndex device, bool outward) {
    Shares shares;
    addLocal({gpu, device, outward}, 1.0, shares);
    return finished(shares).uses;
}

/// Back from the device to the GPU, with equal parts over equal ways.
void Router::addLocal(const LocalWay& way, double all, Shares& shares) {
    const auto [gpu, device, outward] = way;
    const std::shared_ptr<const LocalPaths> paths = local(gpu);
    // Farthest first: all that arrives at a device is there before it is forwarded.
    std::map<std::pair<std::int64_t, DeviceIndex>, double, std::greater<>> open;
    open[{paths->at(device).cost, device}] = all;
    while (!open.empty()) {
        const auto [at, share] = *open.begin();
        open.erase(open.begin());
        const LocalReach reach = paths->at(at.second);
        for (const Hop hop : reach.from) {
            const double part = share / static_cast<double>(reach.from.size());
            const bool along = topology_.links()[hop.link].from == (outward ? hop.to : at.second);
            shares[resourceOf(hop.link, along)] += part;
            open[{paths->at(hop.to).cost, hop.to}] += part;
        }
    }
}

void Router::addFabric(const NicPair& nics,
                       const RouteOptions& options,
                       double all,
                       Shares& shares) {
    std::map<DeviceIndex, double> level = {{nics.from, all}};
    for (std::uint16_t hop = 0; hop < nics.hops; ++hop) {
        std::map<DeviceIndex, double> following;
        for (const auto& [device, share] : level) {
            std::vector<Hop> ways = fabric_.next(device, nics.to);
            if (options.spread == Spread::ByFlow) {
                const std::uint64_t pick = mixed(options.flow ^ mixed(device)) % ways.size();
                ways = {ways[pick]};
            }
            for (const Hop way : ways) {
                const double part = share / static_cast<double>(ways.size());
                shares[resourceOf(way.link, topology_.links()[way.link].from == device)] += part;
                following[way.to] += part;
            }
        }
        level = std::move(following);
    }
}

Route Router::finished(const Shares& shares) const {
    Route route;
    for (const auto& [resource, share] : shares) {
        const NetworkLink& link = topology_.links()[resource / 2];
        route.uses.push_back({resource, share});
        route.slowest = std::max(route.slowest, classOf(link.kind));
    }
    std::ranges::sort(route.uses, {}, &ResourceUse::resource);
    for (const ResourceUse use : route.uses) {
        route.latency += topology_.links()[use.resource / 2].latency * use.share;
    }
    return route;
}

std::optional<Route> Router::route(DeviceIndex from, DeviceIndex to, const RouteOptions& options) {
    Shares shares;
    if (from == to) {
        return Route{};
    }
    if (local(from)->find(to)) {
        addLocal({from, to, true}, 1.0, shares);
        return finished(shares);
    }
    std::vector<NicPair> pairs = nicPairs(from, to, options.pxn);
    if (pairs.empty()) {
        return std::nullopt;
    }
    if (options.spread == Spread::ByFlow) {
        pairs = {pairOf(pairs, options)};
    }
    const double part = 1.0 / static_cast<double>(pairs.size());
    for (const NicPair& nics : pairs) {
        addLocal({from, nics.from, true}, part, shares);
        addFabric(nics, options, part, shares);
        addLocal({to, nics.to, false}, part, shares);
    }
    Route route = finished(shares);
    route.sends = pairs.front().from;
    route.gets = pairs.front().to;
    route.hops = pairs.front().hops;
    return route;
}

Seconds stepLatency(const Route& route,
                    const NcclModel& model,
                    CollectiveAlgorithm algorithm,
                    CollectiveProtocol protocol,
                    Seconds network) {
    const Seconds step =
        model.stepLatency[static_cast<std::size_t>(route.slowest)]
                         [static_cast<std::size_t>(algorithm)][static_cast<std::size_t>(protocol)];
    if (route.slowest != LinkClass::Network) {
        return step + route.latency;
    }
    const double times = protocol == CollectiveProtocol::Simple ? 2.0 : 1.0;
    return step + std::max(network, route.latency) * times;
}

}  // namespace fabricast
