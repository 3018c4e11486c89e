#include "simulator/network/node_devices.h"

#include "planner/base/check.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

/// Sockets of one board at most are joined each with each; racks have Grace CPUs in pairs.
constexpr std::int64_t kMostMeshedSockets = 8;
constexpr std::int64_t kCubeMeshGpus = 8;

struct MeshPair {
    std::int64_t from;
    std::int64_t to;
    double links;
};

/// The hybrid cube mesh of the DGX-1: six links of each GPU, as `nvidia-smi topo -m` shows them.
constexpr std::array kCubeMesh = {MeshPair{0, 1, 1},
                                  MeshPair{0, 2, 1},
                                  MeshPair{0, 3, 2},
                                  MeshPair{0, 4, 2},
                                  MeshPair{1, 2, 2},
                                  MeshPair{1, 3, 1},
                                  MeshPair{1, 5, 2},
                                  MeshPair{2, 3, 2},
                                  MeshPair{2, 6, 1},
                                  MeshPair{3, 7, 1},
                                  MeshPair{4, 5, 1},
                                  MeshPair{4, 6, 1},
                                  MeshPair{4, 7, 2},
                                  MeshPair{5, 6, 2},
                                  MeshPair{5, 7, 1},
                                  MeshPair{6, 7, 2}};
constexpr double kCubeMeshLinks = 6.0;

/// GPUs that are joined with each other: all, or the few under one bridge.
std::int64_t meshSize(const NodeSpec& spec) {
    if (spec.gpuFabric == "nvlink-bridge" && spec.domainGpus > 1 && spec.domainGpus < spec.gpus) {
        return spec.domainGpus;
    }
    return spec.gpu.linkReach == "pair" ? std::min<std::int64_t>(2, spec.gpus) : spec.gpus;
}

/// That between GPUs over PCIe where nothing is known of the one to the host.
BytesPerSecond pciRate(const NodeSpec& spec) {
    return spec.gpu.pcieBandwidth.value.value_or(
        spec.pci.peerBandwidth.value.value_or(BytesPerSecond(0)));
}

}  // namespace

/// The node that is being made.
struct NodeDevices::Place {
    const std::string& prefix;
    std::int32_t node;
    TopologyBuilder& builder;
    NodePorts ports;
    std::vector<DeviceIndex> sockets;
    std::vector<DeviceIndex> above;  ///< of each GPU: its PCIe switch, root complex or socket

    Result<DeviceIndex> add(DeviceKind kind, std::int64_t slot) const {
        return builder.add(
            {.name = prefix + "/" + std::string(deviceKindName(kind)) + std::to_string(slot),
             .kind = kind,
             .node = node,
             .slot = static_cast<std::int32_t>(slot)});
    }
};

std::int64_t switchCount(const NodeSpec& spec) {
    return std::max<std::int64_t>(1, spec.gpuSwitches);
}

NodeDevices::NodeDevices(const NodeSpec& spec,
                         BytesPerSecond nicRate,
                         std::optional<BytesPerSecond> hostLink)
    : spec_(spec), nicRate_(nicRate), hostLink_(hostLink) {}

Result<NodePorts> NodeDevices::add(const std::string& prefix,
                                   std::int32_t node,
                                   TopologyBuilder& builder) {
    Place place{prefix, node, builder, {}, {}, {}};
    FABRICAST_TRY(addGpus(place));
    FABRICAST_TRY(addHost(place));
    FABRICAST_TRY(addNics(place));
    FABRICAST_TRY(addGpuLinks(place));
    return std::move(place.ports);
}

Result<void> NodeDevices::addGpus(Place& place) {
    for (std::int64_t gpu = 0; gpu < spec_.gpus; ++gpu) {
        FABRICAST_ASSIGN(const DeviceIndex made, place.add(DeviceKind::Gpu, gpu));
        place.ports.gpus.push_back(made);
    }
    return {};
}

Result<void> NodeDevices::addSockets(Place& place) {
    const std::int64_t sockets =
        std::clamp<std::int64_t>(spec_.pci.numaNodes.value.value_or(1), 1, spec_.gpus);
    if (!spec_.pci.numaNodes.value) {
        assumed_.insert("one CPU socket");
    }
    const std::int64_t meshed = sockets > kMostMeshedSockets ? 2 : sockets;
    // As much as all GPUs of a socket can send over it.
    const auto all = static_cast<double>((spec_.gpus + sockets - 1) / sockets);
    const BytesPerSecond least = std::max(pciRate(spec_), nicRate_);
    const bool known = spec_.pci.socketLink.value.has_value();
    for (std::int64_t socket = 0; socket < sockets; ++socket) {
        FABRICAST_ASSIGN(const DeviceIndex made, place.add(DeviceKind::Socket, socket));
        for (std::int64_t other = socket / meshed * meshed; other < socket; ++other) {
            FABRICAST_TRY(
                place.builder.join({.from = place.sockets[static_cast<std::size_t>(other)],
                                    .to = made,
                                    .kind = LinkKind::Socket,
                                    .bandwidth = known ? *spec_.pci.socketLink.value : least * all,
                                    .assumed = !known}));
        }
        place.sockets.push_back(made);
    }
    if (!known && sockets > 1) {
        assumed_.insert("links between sockets are as fast as all GPUs of one socket together");
    }
    return {};
}

/// Boards whose GPUs are joined with each other have a NIC next to each, or each few, of them.
std::int64_t NodeDevices::assumedPerSwitch() {
    const std::int64_t nics = nicRate_.count() > 0 ? spec_.nics.value.value_or(0) : 0;
    if (spec_.gpuFabric == "pcie" || spec_.pci.rootComplexes.value || nics == 0) {
        return 0;
    }
    assumed_.insert("one PCIe switch for each NIC and its nearest GPUs");
    return std::max<std::int64_t>(1, spec_.gpus / nics);
}

/// The PCIe switch or root complex above a GPU; made when its first GPU comes.
Result<DeviceIndex> NodeDevices::addBelow(Place& place,
                                          std::int64_t gpu,
                                          std::vector<DeviceIndex>& made) {
    const PciTopology& pci = spec_.pci;
    const auto sockets = static_cast<std::int64_t>(place.sockets.size());
    const DeviceIndex socket = place.sockets[static_cast<std::size_t>(gpu * sockets / spec_.gpus)];
    const std::int64_t perSwitch = pci.gpusPerSwitch.value.value_or(assumedPerSwitch());
    const std::int64_t perRoot =
        pci.rootComplexes.value.value_or(0) > 0
            ? std::max<std::int64_t>(1, spec_.gpus / *pci.rootComplexes.value)
            : 0;
    const std::int64_t shared = perSwitch > 0 ? perSwitch : perRoot;
    if (shared <= (perSwitch > 0 ? 0 : 1)) {
        return socket;
    }
    const auto group = static_cast<std::size_t>(gpu / shared);
    if (group == made.size()) {
        const DeviceKind kind = perSwitch > 0 ? DeviceKind::PciSwitch : DeviceKind::RootComplex;
        FABRICAST_ASSIGN(const DeviceIndex above,
                         place.add(kind, static_cast<std::int64_t>(group)));
        FABRICAST_TRY(place.builder.join(
            {.from = above, .to = socket, .kind = LinkKind::Pci, .bandwidth = pciRate(spec_)}));
        made.push_back(above);
    }
    return made[group];
}

Result<void> NodeDevices::addHost(Place& place) {
    const bool c2c = !spec_.pci.hostLink.empty();
    const BytesPerSecond link =
        spec_.gpu.linkBandwidth.value.value_or(std::max(pciRate(spec_), nicRate_));
    const bool known = c2c ? hostLink_.has_value() : spec_.gpu.pcieBandwidth.value.has_value();
    const BytesPerSecond rate = known ? (c2c ? *hostLink_ : pciRate(spec_)) : link;
    if (rate.count() <= 0) {
        return fail(Error::Code::Unsupported,
                    "gpu \"" + spec_.gpu.name + "\"",
                    "its profile has no PCIe bandwidth",
                    "add pcie.bandwidth to a profile of your own (--profile-dir)");
    }
    if (!known) {
        assumed_.insert("GPUs reach their CPU at the rate between GPUs");
    }
    FABRICAST_TRY(addSockets(place));
    std::vector<DeviceIndex> made;
    const auto sockets = static_cast<std::int64_t>(place.sockets.size());
    for (std::int64_t gpu = 0; gpu < spec_.gpus; ++gpu) {
        DeviceIndex above = place.sockets[static_cast<std::size_t>(gpu * sockets / spec_.gpus)];
        if (!c2c) {
            FABRICAST_ASSIGN(above, addBelow(place, gpu, made));
        }
        FABRICAST_TRY(place.builder.join({.from = place.ports.gpus[static_cast<std::size_t>(gpu)],
                                          .to = above,
                                          .kind = LinkKind::Pci,
                                          .bandwidth = rate,
                                          .assumed = !known}));
        place.above.push_back(above);
    }
    return {};
}

Result<void> NodeDevices::addNics(Place& place) {
    const std::int64_t nics = nicRate_.count() > 0 ? spec_.nics.value.value_or(0) : 0;
    for (std::int64_t nic = 0; nic < nics; ++nic) {
        FABRICAST_ASSIGN(const DeviceIndex made, place.add(DeviceKind::Nic, nic));
        const auto gpu = static_cast<std::size_t>(gpuOfNic(nic, spec_.gpus, nics));
        FABRICAST_TRY(place.builder.join({.from = made,
                                          .to = place.above[gpu],
                                          .kind = LinkKind::Pci,
                                          .bandwidth = std::max(nicRate_, pciRate(spec_)),
                                          .assumed = true}));
        place.ports.nics.push_back(made);
    }
    if (nics > 0) {
        assumed_.insert("NIC slots are as fast as GPU slots, next to the nearest GPU");
    }
    return {};
}

Result<void> NodeDevices::addGpuLinks(Place& place) {
    const bool joined = spec_.gpu.linkBandwidth.value && spec_.gpus > 1;
    if (!joined || spec_.gpuFabric == "pcie") {
        return {};
    }
    if (spec_.gpuFabric != "nvswitch") {
        return addMesh(place);
    }
    // Switches of a domain over several nodes belong to no single node.
    return spec_.domainGpus > spec_.gpus ? Result<void>() : addSwitches(place);
}

Result<void> NodeDevices::addSwitches(Place& place) {
    const std::int64_t switches = switchCount(spec_);
    const BytesPerSecond rate =
        *spec_.gpu.linkBandwidth.value * (1.0 / static_cast<double>(switches));
    if (spec_.gpuSwitches == 0) {
        assumed_.insert("one NVSwitch represents all of them");
    }
    for (std::int64_t plane = 0; plane < switches; ++plane) {
        FABRICAST_ASSIGN(const DeviceIndex made, place.add(DeviceKind::NvSwitch, plane));
        for (const DeviceIndex gpu : place.ports.gpus) {
            FABRICAST_TRY(place.builder.join(
                {.from = gpu, .to = made, .kind = LinkKind::NvLink, .bandwidth = rate}));
        }
    }
    return {};
}

Result<void> NodeDevices::addMesh(Place& place) {
    const BytesPerSecond all = *spec_.gpu.linkBandwidth.value;
    const auto join = [&](std::int64_t from, std::int64_t to, double share) {
        return place.builder.join({.from = place.ports.gpus[static_cast<std::size_t>(from)],
                                   .to = place.ports.gpus[static_cast<std::size_t>(to)],
                                   .kind = LinkKind::NvLink,
                                   .bandwidth = all * share});
    };
    if (spec_.gpuFabric == "nvlink-mesh" && spec_.gpus == kCubeMeshGpus) {
        for (const MeshPair& pair : kCubeMesh) {
            FABRICAST_TRY(join(pair.from, pair.to, pair.links / kCubeMeshLinks));
        }
        return {};
    }
    const std::int64_t size = std::max<std::int64_t>(2, meshSize(spec_));
    for (std::int64_t from = 0; from < spec_.gpus; ++from) {
        const std::int64_t end = std::min(spec_.gpus, (from / size + 1) * size);
        for (std::int64_t to = from + 1; to < end; ++to) {
            FABRICAST_TRY(join(from, to, 1.0 / static_cast<double>(size - 1)));
        }
    }
    return {};
}

}  // namespace fabricast
