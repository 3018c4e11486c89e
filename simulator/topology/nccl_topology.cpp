#include "simulator/topology/nccl_topology.h"

#include "simulator/topology/xml_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::int64_t kMostLanes = 32;
constexpr std::int64_t kMostNvLinks = 64;
constexpr double kMegabit = 1e6 / 8;
constexpr double kMegabyte = 1e6;
constexpr double kMicrosecond = 1e-6;
constexpr std::string_view kNvSwitchClass = "0x0680";
constexpr std::string_view kPciSwitchClass = "0x0604";

/// Bytes on the wire that are data: 8b/10b, then 128b/130b, then 242 of the 256 of a flit.
double pciCoding(double gigatransfers) {
    constexpr double kFirstWithLongCode = 8.0;
    constexpr double kFirstWithFlits = 64.0;
    if (gigatransfers < kFirstWithLongCode) {
        return 0.8;
    }
    return gigatransfers < kFirstWithFlits ? 128.0 / 130.0 : 242.0 / 256.0;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return text;
}

class NcclReader {
public:
    NcclReader(const std::string& source, const NcclModel& model)
        : source_(source), model_(model) {}

    Result<DescribedTopology> read(const XmlElement& system) {
        if (system.name != "system") {
            return wrong(system, "the file begins with <" + system.name + ">, not <system>");
        }
        for (const XmlElement& cpu : system.children) {
            if (cpu.name == "cpu") {
                FABRICAST_TRY(readCpu(cpu));
            }
        }
        FABRICAST_TRY(joinNvLinks());
        FABRICAST_TRY(joinSockets());
        FABRICAST_TRY(joinHosts());
        Result<Topology> built = std::move(builder_).build();
        if (!built) {
            return wrong(system, built.error().why);
        }
        DescribedTopology described{*std::move(built), source_ + ", as NCCL sees it", {}};
        described.assumed.assign(assumed_.begin(), assumed_.end());
        return described;
    }

private:
    struct Host {
        std::int32_t number = 0;
        std::int32_t gpus = 0;
        std::int32_t nics = 0;
        std::int32_t switches = 0;
        std::vector<DeviceIndex> sockets;
        std::vector<std::pair<DeviceIndex, BytesPerSecond>> ports;
    };
    struct NvLinks {
        const XmlElement* element;
        DeviceIndex gpu;
        Host* host;
        BytesPerSecond each;
    };
    struct Parent {
        DeviceIndex device;
        Host* host;
    };

    [[nodiscard]] tl::unexpected<Error> wrong(const XmlElement& at, std::string why) const {
        return fail(Error::Code::BadInput, source_ + ":" + std::to_string(at.line), std::move(why));
    }

    Result<std::string> textOf(const XmlElement& at, std::string_view name) const {
        if (const std::string* said = at.find(name)) {
            return *said;
        }
        return wrong(at, "<" + at.name + "> has no \"" + std::string(name) + "\"");
    }

    Result<double> numberOf(const XmlElement& at,
                            std::string_view name,
                            double least,
                            double most) const {
        FABRICAST_ASSIGN(const std::string text, textOf(at, name));
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool rest = end != text.data() + text.size() && *end != ' ';
        if (error != std::errc() || rest || !(value >= least && value <= most)) {
            return wrong(at,
                         "\"" + std::string(name) + "\" of <" + at.name + "> cannot be \"" +
                             text.substr(0, 40) + "\"");
        }
        return value;
    }

    Result<DeviceIndex> add(const XmlElement& at, Host& host, DeviceKind kind, std::int32_t slot) {
        Result<DeviceIndex> made =
            builder_.add({.name = "node" + std::to_string(host.number) + "/" +
                                  std::string(deviceKindName(kind)) + std::to_string(slot),
                          .kind = kind,
                          .node = host.number,
                          .slot = slot});
        return made ? made : wrong(at, made.error().why);
    }

    Result<void> join(const XmlElement& at, NetworkLink link) {
        const Result<LinkIndex> made = builder_.join(link);
        return made ? Result<void>() : wrong(at, made.error().why);
    }

    Result<void> readCpu(const XmlElement& cpu) {
        const std::string* hash = cpu.find("host_hash");
        const auto [entry, isNew] = hosts_.try_emplace(hash == nullptr ? "" : *hash);
        Host& host = entry->second;
        if (isNew) {
            host.number = static_cast<std::int32_t>(hosts_.size()) - 1;
        }
        FABRICAST_ASSIGN(
            const DeviceIndex socket,
            add(cpu, host, DeviceKind::Socket, static_cast<std::int32_t>(host.sockets.size())));
        host.sockets.push_back(socket);
        last_ = &cpu;
        return readChildren(cpu, {socket, &host});
    }

    Result<void> readChildren(const XmlElement& of, Parent parent) {
        for (const XmlElement& child : of.children) {
            if (child.name == "pci") {
                FABRICAST_TRY(readPci(child, parent));
            } else if (child.name == "nic") {
                FABRICAST_TRY(readNic(child, parent, std::nullopt));
            } else if (child.name == "gpu") {
                return wrong(child, "<gpu> stands outside a <pci>");
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
        FABRICAST_ASSIGN(const double transfers, numberOf(pci, "link_speed", 1.0, 1024.0));
        FABRICAST_ASSIGN(const double lanes, numberOf(pci, "link_width", 1.0, kMostLanes));
        return std::optional(BytesPerSecond(transfers * lanes * pciCoding(transfers) * 1e9 / 8));
    }

    Result<void> readPci(const XmlElement& pci, Parent parent) {
        FABRICAST_ASSIGN(const std::string bus, textOf(pci, "busid"));
        if (const auto [entry, isNew] = buses_.emplace(lower(bus), parent.device); !isNew) {
            return wrong(pci, "the bus \"" + bus + "\" is there twice");
        }
        FABRICAST_ASSIGN(const std::optional<BytesPerSecond> rate, pciRate(pci));
        const std::string* kind = pci.find("class");
        if (kind != nullptr && kind->starts_with(kPciSwitchClass)) {
            FABRICAST_ASSIGN(
                const DeviceIndex above,
                add(pci, *parent.host, DeviceKind::PciSwitch, parent.host->switches++));
            FABRICAST_TRY(joinPci(pci, above, parent.device, rate));
            return readChildren(pci, {above, parent.host});
        }
        for (const XmlElement& child : pci.children) {
            if (child.name == "gpu") {
                FABRICAST_TRY(readGpu(child, pci, parent, rate));
                buses_[lower(bus)] = static_cast<DeviceIndex>(builder_.deviceCount() - 1);
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
            assumed_.insert("PCIe links without a speed carry 63 GB/s");
        }
        return join(at,
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
        FABRICAST_ASSIGN(const double architecture, numberOf(gpu, "sm", 0.0, 1e6));
        Host& host = *parent.host;
        FABRICAST_ASSIGN(const DeviceIndex made, add(gpu, host, DeviceKind::Gpu, host.gpus++));
        FABRICAST_TRY(joinPci(pci, made, parent.device, rate));
        for (const XmlElement& link : gpu.children) {
            if (link.name == "nvlink") {
                FABRICAST_ASSIGN(const BytesPerSecond each, nvLinkRate(gpu, architecture));
                nvLinks_.push_back({&link, made, &host, each});
            } else if (link.name == "c2c") {
                FABRICAST_TRY(readC2c(link, made, parent));
            }
        }
        return {};
    }

    Result<BytesPerSecond> nvLinkRate(const XmlElement& gpu, double architecture) {
        const std::string name = "sm_" + std::to_string(static_cast<std::int64_t>(architecture));
        for (const NcclGeneration& generation : model_.generations) {
            if (std::ranges::find(generation.architectures, name) !=
                generation.architectures.end()) {
                assumed_.insert(
                    "an NVLink of " + name + " carries " +
                    std::to_string(generation.linkBandwidth.count() / 1e9).substr(0, 4) +
                    " GB/s, as NCCL counts");
                return generation.linkBandwidth;
            }
        }
        return wrong(gpu, "\"" + model_.name + "\" knows no NVLink of \"" + name + "\"");
    }

    /// A superchip's own link to its CPU.
    Result<void> readC2c(const XmlElement& link, DeviceIndex gpu, Parent parent) {
        FABRICAST_ASSIGN(const double each, numberOf(link, "bw", 1.0, 1e9));
        FABRICAST_ASSIGN(const double count, numberOf(link, "count", 1.0, kMostNvLinks));
        const DeviceIndex socket = parent.host->sockets.back();
        if (parent.device == socket) {
            return {};  // beside PCIe between the same two: one way is enough
        }
        return join(link,
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
            FABRICAST_ASSIGN(const double speed, numberOf(net, "speed", 1.0, 1e9));
            Host& host = *parent.host;
            FABRICAST_ASSIGN(const DeviceIndex made, add(net, host, DeviceKind::Nic, host.nics++));
            const BytesPerSecond rate(speed * kMegabit);
            FABRICAST_TRY(joinPci(net, made, parent.device, slot ? slot : std::optional(rate)));
            Seconds latency;
            if (net.find("latency") != nullptr) {
                FABRICAST_ASSIGN(const double micros, numberOf(net, "latency", 0.0, 1e9));
                latency = Seconds(micros * kMicrosecond);
            }
            host.ports.emplace_back(made, rate);
            latencies_[made] = latency;
        }
        return {};
    }

    Result<void> joinNvLinks() {
        std::set<std::pair<DeviceIndex, DeviceIndex>> joined;
        for (const NvLinks& link : nvLinks_) {
            FABRICAST_ASSIGN(const std::string target, textOf(*link.element, "target"));
            FABRICAST_ASSIGN(const double count,
                             numberOf(*link.element, "count", 1.0, kMostNvLinks));
            FABRICAST_ASSIGN(const DeviceIndex other, nvLinkTarget(link, lower(target)));
            if (!joined.emplace(link.gpu, other).second) {
                return wrong(*link.element, "two <nvlink> go to \"" + target + "\"");
            }
            // GPUs name each other: the second time says nothing new.
            if (!joined.contains({other, link.gpu})) {
                FABRICAST_TRY(join(*link.element,
                                   {.from = link.gpu,
                                    .to = other,
                                    .kind = LinkKind::NvLink,
                                    .bandwidth = link.each * count}));
            }
        }
        return {};
    }

    Result<DeviceIndex> nvLinkTarget(const NvLinks& link, const std::string& target) {
        const std::string* kind = link.element->find("tclass");
        if (kind != nullptr && kind->starts_with(kNvSwitchClass)) {
            const auto [entry, isNew] = nvSwitches_.emplace(std::pair(link.host->number, target),
                                                            static_cast<DeviceIndex>(0));
            if (isNew) {
                const auto number = std::ranges::count_if(nvSwitches_, [&](const auto& of) {
                    return of.first.first == link.host->number;
                });
                FABRICAST_ASSIGN(entry->second,
                                 add(*link.element,
                                     *link.host,
                                     DeviceKind::NvSwitch,
                                     static_cast<std::int32_t>(number) - 1));
            }
            return entry->second;
        }
        const auto found = buses_.find(target);
        if (found == buses_.end()) {
            return wrong(*link.element,
                         "an <nvlink> goes to \"" + target + "\", which is not there");
        }
        return found->second;
    }

    /// The file names no links between CPUs.
    Result<void> joinSockets() {
        for (const auto& [hash, host] : hosts_) {
            for (std::size_t one = 0; one < host.sockets.size(); ++one) {
                for (std::size_t other = one + 1; other < host.sockets.size(); ++other) {
                    assumed_.insert("CPUs are joined as fast as eight slots");
                    FABRICAST_TRY(join(*last_,
                                       {.from = host.sockets[one],
                                        .to = host.sockets[other],
                                        .kind = LinkKind::Socket,
                                        .bandwidth = BytesPerSecond(8 * 63e9),
                                        .assumed = true}));
                }
            }
        }
        return {};
    }

    Result<void> joinHosts() {
        if (hosts_.size() < 2) {
            return {};
        }
        Result<DeviceIndex> leaf = builder_.add({.name = "leaf0", .kind = DeviceKind::Leaf});
        FABRICAST_TRY(leaf);
        assumed_.insert("the NICs of all hosts join one switch");
        for (const auto& [hash, host] : hosts_) {
            for (const auto& [nic, rate] : host.ports) {
                FABRICAST_TRY(join(*last_,
                                   {.from = nic,
                                    .to = *leaf,
                                    .kind = LinkKind::Network,
                                    .bandwidth = rate,
                                    .latency = latencies_[nic] * 0.5,
                                    .assumed = true}));
            }
        }
        return {};
    }

    const std::string& source_;
    const NcclModel& model_;
    TopologyBuilder builder_;
    std::map<std::string, Host> hosts_;
    std::map<std::string, DeviceIndex> buses_;
    std::map<std::pair<std::int32_t, std::string>, DeviceIndex> nvSwitches_;
    std::map<DeviceIndex, Seconds> latencies_;
    std::vector<NvLinks> nvLinks_;
    std::set<std::string> assumed_;
    const XmlElement* last_ = nullptr;
};

}  // namespace

Result<DescribedTopology> ncclTopology(std::string_view text,
                                       const std::string& source,
                                       const NcclModel& model) {
    FABRICAST_ASSIGN(const XmlElement system, parseXml(text, source));
    return NcclReader(source, model).read(system);
}

}  // namespace fabricast
