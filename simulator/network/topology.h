#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fabricast {

enum class DeviceKind {
    Gpu,
    NvSwitch,
    PciSwitch,
    RootComplex,
    Socket,
    Nic,
    Leaf,
    Spine,
    Core,
    Wan
};
inline constexpr std::size_t kDeviceKinds = 10;
enum class LinkKind { NvLink, Pci, Socket, Network, Wan };
inline constexpr std::size_t kLinkKinds = 5;

/// "gpu", "nvswitch", …: as in names of devices and in files.
std::string_view deviceKindName(DeviceKind kind);
std::string_view linkKindName(LinkKind kind);

using DeviceIndex = std::uint32_t;
using LinkIndex = std::uint32_t;
inline constexpr std::int32_t kNoNode = -1;

/// A GPU, a switch, a NIC: whatever links join. Names have no spaces.
struct NetworkDevice {
    std::string name;  ///< "node3/gpu5", "leaf4"
    DeviceKind kind = DeviceKind::Gpu;
    std::int32_t node = kNoNode;  ///< none: a switch outside nodes
    std::int32_t slot = 0;        ///< of GPUs, and of NICs, within the node: a NIC's is its rail
};

/// A cable, a bundle of them, or lanes on a board: full duplex, the same rate either way.
struct NetworkLink {
    DeviceIndex from = 0;
    DeviceIndex to = 0;
    LinkKind kind = LinkKind::Network;
    BytesPerSecond bandwidth;  ///< one way, of all its cables together
    Seconds latency;           ///< beyond what a step costs the collective library anyway
    std::int32_t cables = 1;
    bool assumed = false;  ///< no published rate: as fast as what lies behind it
    bool up = true;
};

struct Hop {
    DeviceIndex to = 0;
    LinkIndex link = 0;
};

/// This is a cluster as a graph. It is made once by a TopologyBuilder, and never changed.
///     FABRICAST_ASSIGN(const Topology topology, clusterTopology(cluster));
///     for (const Hop hop : topology.hops(*topology.device("node3/gpu5"))) { … }
class Topology {
public:
    [[nodiscard]] std::span<const NetworkDevice> devices() const { return devices_; }
    [[nodiscard]] std::span<const NetworkLink> links() const { return links_; }
    /// In the order of nodes and slots.
    [[nodiscard]] std::span<const DeviceIndex> gpus() const { return gpus_; }
    [[nodiscard]] std::size_t nodes() const { return nodes_; }
    [[nodiscard]] std::span<const DeviceIndex> devicesOf(std::int32_t node) const;
    [[nodiscard]] std::span<const Hop> hops(DeviceIndex device) const;  ///< over links that are up

    [[nodiscard]] std::optional<DeviceIndex> device(std::string_view name) const;
    [[nodiscard]] std::optional<LinkIndex> link(std::string_view name) const;
    [[nodiscard]] std::string linkName(LinkIndex link) const;  ///< "node3/nic2-leaf4"

    /// The same devices with these links down.
    [[nodiscard]] Topology without(std::span<const LinkIndex> down) const;

private:
    friend class TopologyBuilder;
    void index();

    std::vector<NetworkDevice> devices_;
    std::vector<NetworkLink> links_;
    std::unordered_map<std::string, DeviceIndex> byName_;
    std::vector<DeviceIndex> gpus_;
    std::vector<Hop> hops_;
    std::vector<std::size_t> firstHop_;
    std::vector<DeviceIndex> byNode_;
    std::vector<std::size_t> firstOfNode_;
    std::size_t nodes_ = 0;
};

/// Collects devices and links, and refuses what no machine has: two devices of one name, a link
/// from a device to itself, duplicate or without a rate. Errors have no place: a reader adds its.
class TopologyBuilder {
public:
    Result<DeviceIndex> add(NetworkDevice device);
    Result<LinkIndex> join(NetworkLink link);
    [[nodiscard]] std::optional<DeviceIndex> device(std::string_view name) const;
    [[nodiscard]] const NetworkDevice& at(DeviceIndex device) const {
        return made_.devices_[device];
    }
    [[nodiscard]] std::size_t deviceCount() const { return made_.devices_.size(); }
    [[nodiscard]] std::size_t linkCount() const { return made_.links_.size(); }
    /// Makes room for so many in all, which are found by their names and ends.
    void expect(std::size_t devices, std::size_t links);
    /// Node numbers must be 0, 1, 2, …, and there must be a GPU.
    Result<Topology> build() &&;

private:
    Topology made_;
    std::unordered_map<std::uint64_t, LinkIndex> pairs_;
};

/// The highest accepted rate of a link.
inline constexpr BytesPerSecond kFastestLink = BytesPerSecond(1e15);

}  // namespace fabricast
