#pragma once
#include "planner/evidence/nccl_model.h"
#include "simulator/network/fabric_plan.h"
#include "simulator/network/fair_share.h"
#include "simulator/network/local_paths.h"
#include "simulator/network/topology.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// How a flow goes where the network has several shortest ways.
enum class Spread {
    ByFlow,  ///< one of them, by the number of the flow (ECMP)
    Evenly   ///< a part over each, and by each pair of NICs, as adaptive routing does
};

struct RouteOptions {
    Spread spread = Spread::ByFlow;
    std::uint64_t flow = 0;
    bool pxn = true;  ///< to another rail's NIC over NVLink and the GPU next to it
};

/// How traffic goes from one GPU to another. NVSwitches always carry equal parts.
struct Route {
    std::vector<ResourceUse> uses;  ///< by resourceOf, in order of their numbers
    LinkClass slowest = LinkClass::NvLink;
    Seconds latency;                   ///< that its links add to a step of the library
    std::optional<DeviceIndex> sends;  ///< the NIC that it leaves by; of several the first
    std::optional<DeviceIndex> gets;
    std::int64_t hops = 0;  ///< network links from NIC to NIC
};

/// Links carry as much either way: two resources each.
constexpr ResourceIndex resourceOf(LinkIndex link, bool fromTo) {
    return link * 2 + (fromTo ? 0 : 1);
}
std::vector<BytesPerSecond> resourceCapacities(const Topology& topology);

/// This finds the ways through a topology, and remembers what it has worked out. Between nodes a
/// flow takes the pair of NICs that is the fewest switches apart, and of those the nearest to both
/// GPUs: with rails the NIC of the peer's rail, reached over NVLink (PXN).
///     Router router(topology);
///     const auto route = router.route(from, to, {.flow = 7});   // empty: there is no path
class Router {
public:
    explicit Router(const Topology& topology)
        : topology_(topology), fabric_(topology), search_(topology) {}

    std::optional<Route> route(DeviceIndex from, DeviceIndex to, const RouteOptions& options = {});

    /// The NICs that a flow between nodes may leave and come by: all equally good pairs.
    struct NicPair {
        DeviceIndex from = 0;
        DeviceIndex to = 0;
        std::uint16_t hops = 0;
    };
    std::vector<NicPair> nicPairs(DeviceIndex from, DeviceIndex to, bool pxn);
    /// The way inside a node from a GPU to a device, or back.
    std::vector<ResourceUse> localUses(DeviceIndex gpu, DeviceIndex device, bool outward);

private:
    using Shares = std::unordered_map<ResourceIndex, double>;
    std::shared_ptr<const LocalPaths> local(DeviceIndex gpu);
    /// From a GPU to a device of its node, or back.
    struct LocalWay {
        DeviceIndex gpu = 0;
        DeviceIndex device = 0;
        bool outward = true;
    };
    /// NICs of a node that are cabled to the same switches, and so as far from any other.
    using Nics = std::vector<DeviceIndex>;
    const std::vector<Nics>& nicsOf(std::int32_t node);
    /// Of NICs that are cabled alike, those nearest to a GPU.
    struct NicEnd {
        Nics nics{};
        std::int64_t cost = 0;
    };
    std::vector<NicEnd> nicEnds(DeviceIndex gpu, bool pxn);
    static NicPair pairOf(const std::vector<NicPair>& pairs, const RouteOptions& options);
    void addLocal(const LocalWay& way, double all, Shares& shares);
    void addFabric(const NicPair& nics, const RouteOptions& options, double all, Shares& shares);
    [[nodiscard]] Route finished(const Shares& shares) const;

    const Topology& topology_;
    FabricPaths fabric_;
    LocalSearch search_;
    std::unordered_map<DeviceIndex, std::shared_ptr<const LocalPaths>> local_;
    std::unordered_map<std::int32_t, std::vector<Nics>> nics_;  ///< by node
    std::size_t localSize_ = 0;  ///< of what is remembered: at most kMostLocal
};

/// What the first byte takes over such a route: a step of the collective library over its slowest
/// kind of link, and on a network what that or its links add, once sent and once flushed.
Seconds stepLatency(const Route& route,
                    const NcclModel& model,
                    CollectiveAlgorithm algorithm,
                    CollectiveProtocol protocol,
                    Seconds network);

}  // namespace fabricast
