#include "simulator/network/local_paths.h"

#include "planner/base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

// In such steps that a peer's NIC is taken rather than one behind the CPU, but not rather than one
// on the same PCIe switch or socket.
constexpr std::int32_t kNvLinkCost = 1;
constexpr std::int32_t kPciCost = 4;
constexpr std::int32_t kSocketCost = 8;
constexpr std::int32_t kThroughGpuCost = 4;

std::int32_t costOf(LinkKind kind) {
    switch (kind) {
        case LinkKind::NvLink:
            return kNvLinkCost;
        case LinkKind::Pci:
            return kPciCost;
        default:
            return kSocketCost;
    }
}

/// Devices by what it costs to reach them: the nearest first, and of equally near ones the first.
class NearestFirst {
public:
    void add(std::int32_t cost, DeviceIndex device) {
        const auto at = static_cast<std::size_t>(cost);
        byCost_.resize(std::max(byCost_.size(), at + 1));
        byCost_[at].push_back(device);
    }

    /// Every device is farther than the one that it is reached from, so that a cost is complete
    /// once it has its turn.
    template <class Visit>
    void visitAll(const Visit& visit) {
        for (std::size_t cost = 0; cost < byCost_.size(); ++cost) {
            std::vector<DeviceIndex> devices = std::move(byCost_[cost]);
            std::ranges::sort(devices);
            for (const DeviceIndex device : devices) {
                visit(static_cast<std::int32_t>(cost), device);
            }
        }
    }

private:
    std::vector<std::vector<DeviceIndex>> byCost_;
};

}  // namespace

bool isFabric(DeviceKind kind) {
    return kind == DeviceKind::Leaf || kind == DeviceKind::Spine || kind == DeviceKind::Core ||
           kind == DeviceKind::Wan;
}

std::optional<LocalReach> LocalPaths::find(DeviceIndex device) const {
    const auto place = std::ranges::lower_bound(places_, device, {}, &Place::device);
    if (place == places_.end() || place->device != device) {
        return std::nullopt;
    }
    const std::size_t begin = place == places_.begin() ? 0 : std::prev(place)->endOfHops;
    return LocalReach{.cost = place->cost,
                      .viaNvLink = place->viaNvLink,
                      .from = std::span(hops_).subspan(begin, place->endOfHops - begin)};
}

LocalReach LocalPaths::at(DeviceIndex device) const {
    const std::optional<LocalReach> reach = find(device);
    FABRICAST_CHECK(reach.has_value());
    return *reach;
}

LocalSearch::Reached& LocalSearch::reached(DeviceIndex device) {
    std::uint32_t& number = numbers_[device];
    if (number == kUnreached) {
        number = static_cast<std::uint32_t>(reached_.size());
        reached_.push_back({.device = device});
    }
    return reached_[number];
}

/// Whether a way goes on from there.
bool LocalSearch::leads(const Reached& at, DeviceIndex gpu) const {
    const NetworkDevice& device = topology_.devices()[at.device];
    if (device.kind == DeviceKind::Nic) {
        return false;
    }
    if (device.kind != DeviceKind::Gpu || at.device == gpu) {
        return true;
    }
    const LinkIndex last = steps_[at.firstStep].from.link;
    return device.node == topology_.devices()[gpu].node &&
           topology_.links()[last].kind == LinkKind::NvLink;
}

void LocalSearch::addStep(Reached& there, Hop from) {
    const auto number = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back({.from = from});
    (there.firstStep == kNoStep ? there.firstStep : steps_[there.lastStep].next) = number;
    there.lastStep = number;
}

LocalPaths LocalSearch::from(DeviceIndex gpu) {
    NearestFirst open;
    reached(gpu).cost = 0;
    open.add(0, gpu);
    open.visitAll([&](std::int32_t cost, DeviceIndex at) {
        const Reached here = reached(at);
        if (cost > here.cost || !leads(here, gpu)) {
            return;
        }
        const bool isRelay = topology_.devices()[at].kind == DeviceKind::Gpu && at != gpu;
        for (const Hop hop : topology_.hops(at)) {
            const LinkKind link = topology_.links()[hop.link].kind;
            if (link == LinkKind::Network || isFabric(topology_.devices()[hop.to].kind)) {
                continue;
            }
            const std::int32_t next = cost + costOf(link) + (isRelay ? kThroughGpuCost : 0);
            Reached& there = reached(hop.to);
            if (next < there.cost) {
                there = {.device = hop.to,
                         .cost = next,
                         .viaNvLink = at == gpu ? link == LinkKind::NvLink : here.viaNvLink};
                open.add(next, hop.to);
            }
            if (next == there.cost) {
                addStep(there, {at, hop.link});
            }
        }
    });
    return taken();
}

/// In order, and the memory is ready for the next GPU.
LocalPaths LocalSearch::taken() {
    std::vector<DeviceIndex> devices;
    devices.reserve(reached_.size());
    for (const Reached& one : reached_) {
        devices.push_back(one.device);
    }
    std::ranges::stable_sort(devices);  // the GPUs are in order, and so are their switches
    LocalPaths paths;
    paths.places_.reserve(reached_.size());
    paths.hops_.reserve(steps_.size());
    for (const DeviceIndex device : devices) {
        const Reached& one = reached_[std::exchange(numbers_[device], kUnreached)];
        for (std::uint32_t step = one.firstStep; step != kNoStep; step = steps_[step].next) {
            paths.hops_.push_back(steps_[step].from);
        }
        paths.places_.push_back({.device = device,
                                 .endOfHops = static_cast<std::uint32_t>(paths.hops_.size()),
                                 .cost = one.cost,
                                 .viaNvLink = one.viaNvLink});
    }
    reached_.clear();
    steps_.clear();
    return paths;
}

}  // namespace fabricast
