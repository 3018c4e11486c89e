#include "simulator/network/router.h"

#include <algorithm>
#include <functional>
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

/// What a NIC is cabled to: switches, or the NIC of another node.
std::vector<DeviceIndex> cabledTo(const Topology& topology, DeviceIndex nic) {
    std::vector<DeviceIndex> others;
    for (const Hop hop : topology.hops(nic)) {
        if (topology.links()[hop.link].kind == LinkKind::Network) {
            others.push_back(hop.to);
        }
    }
    std::ranges::sort(others);
    return others;
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

const std::vector<Router::Nics>& Router::nicsOf(std::int32_t node) {
    const auto [entry, isNew] = nics_.try_emplace(node);
    if (!isNew) {
        return entry->second;
    }
    std::map<std::vector<DeviceIndex>, Nics> alike;
    for (const DeviceIndex device : topology_.devicesOf(node)) {
        if (topology_.devices()[device].kind == DeviceKind::Nic) {
            alike[cabledTo(topology_, device)].push_back(device);
        }
    }
    for (auto& [others, nics] : alike) {
        entry->second.push_back(std::move(nics));
    }
    return entry->second;
}

std::vector<Router::NicEnd> Router::nicEnds(DeviceIndex gpu, bool pxn) {
    const std::shared_ptr<const LocalPaths> paths = local(gpu);
    std::vector<NicEnd> ends;
    std::int64_t own = std::numeric_limits<std::int64_t>::max();
    for (const Nics& alike : nicsOf(topology_.devices()[gpu].node)) {
        for (const DeviceIndex nic : alike) {
            const auto reach = paths->find(nic);
            own = reach ? std::min(own, reach->cost) : own;
        }
    }
    for (const Nics& alike : nicsOf(topology_.devices()[gpu].node)) {
        NicEnd end{.cost = std::numeric_limits<std::int64_t>::max()};
        for (const DeviceIndex nic : alike) {
            const auto reach = paths->find(nic);
            if (!reach) {
                continue;
            }
            const bool fine = reach->cost == own || (pxn && reach->viaNvLink);
            const std::int64_t cost = reach->cost + (fine ? 0 : kOffRailCost);
            if (cost < end.cost) {
                end = {.nics = {}, .cost = cost};
            }
            if (cost == end.cost) {
                end.nics.push_back(nic);
            }
        }
        if (!end.nics.empty()) {
            ends.push_back(std::move(end));
        }
    }
    return ends;
}

std::vector<Router::NicPair> Router::nicPairs(DeviceIndex from, DeviceIndex to, bool pxn) {
    const std::vector<NicEnd> sending = nicEnds(from, pxn);
    const std::vector<NicEnd> getting = nicEnds(to, pxn);
    std::vector<NicPair> best;
    auto least = std::pair(std::numeric_limits<std::int64_t>::max(), std::int64_t{0});
    for (const NicEnd& out : sending) {
        for (const NicEnd& in : getting) {
            const std::uint16_t hops = fabric_.hops(out.nics.front(), in.nics.front());
            const auto cost = std::pair(hops * kHopCost + out.cost + in.cost, in.cost);
            if (hops == FabricPaths::kUnreached || cost > least) {
                continue;
            }
            if (cost < least) {
                least = cost;
                best.clear();
            }
            for (const DeviceIndex left : out.nics) {
                for (const DeviceIndex right : in.nics) {
                    best.push_back({left, right, hops});
                }
            }
        }
    }
    std::ranges::sort(best, {}, [](const NicPair& pair) { return std::pair(pair.from, pair.to); });
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
