#pragma once
#include "simulator/network/topology.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace fabricast {

/// How a device is best reached without the network.
struct LocalReach {
    std::int64_t cost = 0;
    bool viaNvLink = false;     ///< its first hop is NVLink
    std::span<const Hop> from;  ///< the last hops of every way at that cost, seen from here: `to`
                                ///< is the device before
};

/// This is every way from one GPU, inside its node and its NVLink domain: NVLink before PCIe before
/// the link between sockets. GPUs hand on what comes over NVLink, to a peer's NIC (PXN) or to a GPU
/// that is not linked itself, within their node; nothing goes through a NIC or a network switch.
class LocalPaths {
public:
    [[nodiscard]] std::optional<LocalReach> find(DeviceIndex device) const;
    /// Of a device that is reached.
    [[nodiscard]] LocalReach at(DeviceIndex device) const;
    /// What they take to remember.
    [[nodiscard]] std::size_t size() const { return places_.size() + hops_.size(); }

private:
    friend class LocalSearch;
    struct Place {
        DeviceIndex device = 0;
        std::uint32_t endOfHops = 0;  ///< in hops_, where those of the next place begin
        std::int32_t cost = 0;
        bool viaNvLink = false;
    };
    std::vector<Place> places_;  ///< by device
    std::vector<Hop> hops_;
};

/// Finds them for one GPU after the other, in memory that they share.
class LocalSearch {
public:
    explicit LocalSearch(const Topology& topology)
        : topology_(topology), numbers_(topology.devices().size(), kUnreached) {}

    LocalPaths from(DeviceIndex gpu);

private:
    static constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();
    /// A device, and the chain of the hops that lead to it at its cost.
    struct Reached {
        DeviceIndex device = 0;
        std::int32_t cost = std::numeric_limits<std::int32_t>::max();
        bool viaNvLink = false;
        std::uint32_t firstStep = kNoStep;
        std::uint32_t lastStep = kNoStep;
    };
    struct Step {
        Hop from;
        std::uint32_t next = kNoStep;
    };

    Reached& reached(DeviceIndex device);
    [[nodiscard]] bool leads(const Reached& at, DeviceIndex gpu) const;
    void addStep(Reached& there, Hop from);
    LocalPaths taken();

    const Topology& topology_;
    std::vector<std::uint32_t> numbers_;  ///< in reached_, by device
    std::vector<Reached> reached_;
    std::vector<Step> steps_;
};

/// Whether a device belongs to the network between nodes.
bool isFabric(DeviceKind kind);

}  // namespace fabricast
