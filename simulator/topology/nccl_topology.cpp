#include "simulator/topology/nccl_devices.h"
#include "simulator/topology/topology_matrix.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kNvSwitchClass = "0x0680";

/// NVSwitches have no element of their own: the first link to one makes it.
using NvSwitches = std::map<std::pair<std::int32_t, std::string>, DeviceIndex>;

Result<DeviceIndex> nvSwitchOf(NcclDevices& found,
                               NvSwitches& switches,
                               const NcclDevices::NvLinks& link,
                               const std::string& bus) {
    const std::int32_t node = link.host->number;
    const auto [entry, isNew] = switches.emplace(std::pair(node, bus), DeviceIndex{});
    if (isNew) {
        const auto number = std::ranges::count_if(
            switches, [&](const auto& known) { return known.first.first == node; });
        FABRICAST_ASSIGN(entry->second,
                         found.add(*link.element,
                                   *link.host,
                                   DeviceKind::NvSwitch,
                                   static_cast<std::int32_t>(number) - 1));
    }
    return entry->second;
}

Result<DeviceIndex> otherEnd(NcclDevices& found,
                             NvSwitches& switches,
                             const NcclDevices::NvLinks& link,
                             const std::string& target) {
    const std::string* kind = link.element->find("tclass");
    if (kind != nullptr && kind->starts_with(kNvSwitchClass)) {
        return nvSwitchOf(found, switches, link, target);
    }
    const auto bus = found.buses.find(target);
    if (bus == found.buses.end()) {
        return found.wrong(*link.element,
                           "an <nvlink> goes to \"" + target + "\", which does not exist");
    }
    return bus->second;
}

Result<void> joinNvLinks(NcclDevices& found) {
    NvSwitches switches;
    std::set<std::pair<DeviceIndex, DeviceIndex>> joined;
    for (const NcclDevices::NvLinks& link : found.nvLinks) {
        FABRICAST_ASSIGN(const std::string target, found.textOf(*link.element, "target"));
        FABRICAST_ASSIGN(const double count,
                         found.numberOf(*link.element, "count", 1.0, kMostNvLinks));
        FABRICAST_ASSIGN(const DeviceIndex other,
                         otherEnd(found, switches, link, lowerCase(target)));
        if (!joined.emplace(link.gpu, other).second) {
            return found.wrong(*link.element, "two <nvlink> go to \"" + target + "\"");
        }
        // GPUs name each other: the second time is redundant.
        if (!joined.contains({other, link.gpu})) {
            FABRICAST_TRY(found.join(*link.element,
                                     {.from = link.gpu,
                                      .to = other,
                                      .kind = LinkKind::NvLink,
                                      .bandwidth = link.each * count}));
        }
    }
    return {};
}

/// The file names no links between CPUs.
Result<void> joinSockets(NcclDevices& found) {
    for (const auto& [hash, host] : found.hosts) {
        for (std::size_t one = 0; one < host.sockets.size(); ++one) {
            for (std::size_t other = one + 1; other < host.sockets.size(); ++other) {
                found.assumed.insert("links between CPUs are as fast as eight slots");
                FABRICAST_TRY(found.join(*found.lastCpu,
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

Result<void> joinHosts(NcclDevices& found) {
    if (found.hosts.size() < 2) {
        return {};
    }
    Result<DeviceIndex> leaf = found.builder.add({.name = "leaf0", .kind = DeviceKind::Leaf});
    FABRICAST_TRY(leaf);
    found.assumed.insert("the NICs of all hosts join one switch");
    for (const NcclDevices::Port& port : found.ports) {
        FABRICAST_TRY(found.join(*found.lastCpu,
                                 {.from = port.nic,
                                  .to = *leaf,
                                  .kind = LinkKind::Network,
                                  .bandwidth = port.rate,
                                  .latency = port.latency * 0.5,
                                  .assumed = true}));
    }
    return {};
}

}  // namespace

Result<DescribedTopology> ncclTopology(std::string_view text,
                                       const std::string& source,
                                       const NcclModel& model) {
    FABRICAST_ASSIGN(const XmlElement system, parseXml(text, source));
    NcclDevices found{.source = source, .model = model};
    if (system.name != "system") {
        return found.wrong(system, "the file begins with <" + system.name + ">, not <system>");
    }
    FABRICAST_TRY(readNcclTree(found, system));
    FABRICAST_TRY(joinNvLinks(found));
    FABRICAST_TRY(joinSockets(found));
    FABRICAST_TRY(joinHosts(found));
    Result<Topology> built = std::move(found.builder).build();
    if (!built) {
        return found.wrong(system, built.error().why);
    }
    return DescribedTopology{*std::move(built),
                             source + ", as NCCL sees it",
                             {found.assumed.begin(), found.assumed.end()}};
}

}  // namespace fabricast
