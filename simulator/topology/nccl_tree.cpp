#include "simulator/topology/nccl_devices.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace fabricast {
namespace {

constexpr std::int64_t kMostLanes = 32;
constexpr double kMegabit = 1e6 / 8;
constexpr double kMegabyte = 1e6;
constexpr double kMicrosecond = 1e-6;
constexpr std::string_view kPciSwitchClass = "0x0604";

constexpr std::size_t kMostSockets = 64;
/// Bytes on the wire that are data: 8b/10b, then 128b/130b, then 242 of the 256 of a flit.
double pciCoding(double gigatransfers) {
    constexpr double kFirstWithLongCode = 8.0;
    constexpr double kFirstWithFlits = 64.0;
    if (gigatransfers < kFirstWithLongCode) {
        return 0.8;
    }
    return gigatransfers < kFirstWithFlits ? 128.0 / 130.0 : 242.0 / 256.0;
}

class TreeReader {
public:
    explicit TreeReader(NcclDevices& found) : found_(found) {}

    Result<void> readCpu(const XmlElement& cpu) {
        const std::string* hash = cpu.find("host_hash");
        const auto [entry, isNew] = found_.hosts.try_emplace(hash == nullptr ? "" : *hash);
        NcclDevices::Host& host = entry->second;
        if (isNew) {
            host.number = static_cast<std::int32_t>(found_.hosts.size()) - 1;
        }
        // Each is joined with every other.
        if (host.sockets.size() == kMostSockets) {
            return found_.wrong(cpu, "a host with more than 64 <cpu>");
        }
        FABRICAST_ASSIGN(
            const DeviceIndex socket,
            found_.add(
                cpu, host, DeviceKind::Socket, static_cast<std::int32_t>(host.sockets.size())));
        host.sockets.push_back(socket);
        found_.lastCpu = &cpu;
        return readChildren(cpu, {socket, &host});
    }

private:
    struct Parent {
        DeviceIndex device;
        NcclDevices::Host* host;
    };

    Result<void> readChildren(const XmlElement& of, Parent parent) {
        for (const XmlElement& child : of.children) {
            if (child.name == "pci") {
                FABRICAST_TRY(readPci(child, parent));
            } else if (child.name == "nic") {
                FABRICAST_TRY(readNic(child, parent, std::nullopt));
            } else if (child.name == "gpu") {
                return found_.wrong(child, "<gpu> outside of a <pci>");
            }
        }
        return {};
    }

    /// The line rate of a PCIe device; empty where the machine hides it (virtual functions).
    Result<std::optional<BytesPerSecond>> pciRate(const XmlElement& pci) const {
        const std::string* speed = pci.find("link_speed");
        if (speed == nullptr || speed->empty() ||
            !std::isdigit(static_cast<unsigned char>((*speed)[0]))) {
            return std::optional<BytesPerSecond>();
        }
        FABRICAST_ASSIGN(const double transfers, found_.numberOf(pci, "link_speed", 1.0, 1024.0));
        FABRICAST_ASSIGN(const double lanes, found_.numberOf(pci, "link_width", 1.0, kMostLanes));
        return std::optional(BytesPerSecond(transfers * lanes * pciCoding(transfers) * 1e9 / 8));
    }

    Result<void> readPci(const XmlElement& pci, Parent parent) {
        FABRICAST_ASSIGN(const std::string bus, found_.textOf(pci, "busid"));
        if (const auto [entry, isNew] = found_.buses.emplace(lowerCase(bus), parent.device);
            !isNew) {
            return found_.wrong(pci, "the bus \"" + bus + "\" appears twice");
        }
        FABRICAST_ASSIGN(const std::optional<BytesPerSecond> rate, pciRate(pci));
        const std::string* kind = pci.find("class");
        if (kind != nullptr && kind->starts_with(kPciSwitchClass)) {
            FABRICAST_ASSIGN(
                const DeviceIndex above,
                found_.add(pci, *parent.host, DeviceKind::PciSwitch, parent.host->switches++));
            FABRICAST_TRY(joinPci(pci, above, parent.device, rate));
            return readChildren(pci, {above, parent.host});
        }
        for (const XmlElement& child : pci.children) {
            if (child.name == "gpu") {
                FABRICAST_TRY(readGpu(child, pci, parent, rate));
                found_.buses[lowerCase(bus)] =
                    static_cast<DeviceIndex>(found_.builder.deviceCount() - 1);
            } else if (child.name == "nic") {
                FABRICAST_TRY(readNic(child, parent, rate));
            } else if (child.name == "pci") {
                FABRICAST_TRY(readPci(child, parent));
            }
        }
        return {};
    }

    Result<void> joinPci(const XmlElement& at,
                         DeviceIndex device,
                         DeviceIndex parent,
                         std::optional<BytesPerSecond> rate) {
        // As fast as a slot of the newest machines, so that it is not what limits.
        constexpr BytesPerSecond kUnknown = BytesPerSecond(63e9);
        if (!rate) {
            found_.assumed.insert("PCIe links without a speed carry 63 GB/s");
        }
        return found_.join(at,
                           {.from = device,
                            .to = parent,
                            .kind = LinkKind::Pci,
                            .bandwidth = rate.value_or(kUnknown),
                            .assumed = !rate});
    }

    Result<void> readGpu(const XmlElement& gpu,
                         const XmlElement& pci,
                         Parent parent,
                         std::optional<BytesPerSecond> rate) {
        FABRICAST_ASSIGN(const double architecture, found_.numberOf(gpu, "sm", 0.0, 1e6));
        NcclDevices::Host& host = *parent.host;
        FABRICAST_ASSIGN(const DeviceIndex made,
                         found_.add(gpu, host, DeviceKind::Gpu, host.gpus++));
        FABRICAST_TRY(joinPci(pci, made, parent.device, rate));
        for (const XmlElement& link : gpu.children) {
            if (link.name == "nvlink") {
                FABRICAST_ASSIGN(const BytesPerSecond each, nvLinkRate(gpu, architecture));
                found_.nvLinks.push_back({&link, made, &host, each});
            } else if (link.name == "c2c") {
                FABRICAST_TRY(readC2c(link, made, parent));
            }
        }
        return {};
    }

    Result<BytesPerSecond> nvLinkRate(const XmlElement& gpu, double architecture) {
        const std::string name = "sm_" + std::to_string(static_cast<std::int64_t>(architecture));
        for (const NcclGeneration& generation : found_.model.generations) {
            if (std::ranges::find(generation.architectures, name) !=
                generation.architectures.end()) {
                found_.assumed.insert(
                    "an NVLink of " + name + " carries " +
                    std::to_string(generation.linkBandwidth.count() / 1e9).substr(0, 4) +
                    " GB/s, as NCCL counts");
                return generation.linkBandwidth;
            }
        }
        return found_.wrong(gpu, "\"" + found_.model.name + "\" has no NVLink of \"" + name + "\"");
    }

    /// A superchip's own link to its CPU.
    Result<void> readC2c(const XmlElement& link, DeviceIndex gpu, Parent parent) {
        FABRICAST_ASSIGN(const double each, found_.numberOf(link, "bw", 1.0, 1e9));
        FABRICAST_ASSIGN(const double count, found_.numberOf(link, "count", 1.0, kMostNvLinks));
        const DeviceIndex socket = parent.host->sockets.back();
        if (parent.device == socket) {
            return {};  // in addition to PCIe between the same two: one path is enough
        }
        return found_.join(link,
                           {.from = gpu,
                            .to = socket,
                            .kind = LinkKind::Pci,
                            .bandwidth = BytesPerSecond(each * count * kMegabyte)});
    }

    Result<void> readNic(const XmlElement& nic, Parent parent, std::optional<BytesPerSecond> slot) {
        for (const XmlElement& net : nic.children) {
            if (net.name != "net") {
                continue;
            }
            FABRICAST_ASSIGN(const double speed, found_.numberOf(net, "speed", 1.0, 1e9));
            NcclDevices::Host& host = *parent.host;
            FABRICAST_ASSIGN(const DeviceIndex made,
                             found_.add(net, host, DeviceKind::Nic, host.nics++));
            const BytesPerSecond rate(speed * kMegabit);
            FABRICAST_TRY(joinPci(net, made, parent.device, slot ? slot : std::optional(rate)));
            Seconds latency;
            if (net.find("latency") != nullptr) {
                FABRICAST_ASSIGN(const double micros, found_.numberOf(net, "latency", 0.0, 1e9));
                latency = Seconds(micros * kMicrosecond);
            }
            found_.ports.push_back({made, rate, latency});
        }
        return {};
    }

    NcclDevices& found_;
};

}  // namespace

Result<void> readNcclTree(NcclDevices& found, const XmlElement& system) {
    TreeReader reader(found);
    for (const XmlElement& cpu : system.children) {
        if (cpu.name == "cpu") {
            FABRICAST_TRY(reader.readCpu(cpu));
        }
    }
    return {};
}

}  // namespace fabricast
