#include "planner/base/nearest_name.h"
#include "simulator/network/fabric_cuts.h"

#include <algorithm>
#include <optional>

namespace fabricast {
namespace {

constexpr std::size_t kMostSuggested = 4096;

std::optional<std::int32_t> nodeNamed(const Topology& topology, const std::string& name) {
    for (std::size_t node = 0; node < topology.nodes(); ++node) {
        if (nodeName(topology, static_cast<std::int32_t>(node)) == name) {
            return static_cast<std::int32_t>(node);
        }
    }
    return std::nullopt;
}

std::vector<LinkIndex> linksOutOf(const Topology& topology, std::int32_t node) {
    std::vector<LinkIndex> links;
    for (const DeviceIndex device : topology.devicesOf(node)) {
        for (const Hop hop : topology.hops(device)) {
            if (topology.devices()[hop.to].node != node) {
                links.push_back(hop.link);
            }
        }
    }
    return links;
}

tl::unexpected<Error> nothingNamed(const Topology& topology, const std::string& name) {
    std::vector<std::string> known;
    for (LinkIndex link = 0; link < std::min(topology.links().size(), kMostSuggested); ++link) {
        known.push_back(topology.linkName(link));
    }
    const std::string near = nearestName(name, known);
    return fail(Error::Code::NotFound,
                "--fail",
                "unknown link or device \"" + name + "\"",
                !near.empty() ? "did you mean \"" + near + "\"?"
                : known.empty()
                    ? "a name as " + topology.devices().back().name
                    : "a name as " +
                          topology.linkName(static_cast<LinkIndex>(topology.links().size() - 1)) +
                          " or " + topology.devices().back().name);
}

Result<std::vector<LinkIndex>> linksNamed(const Topology& topology, const std::string& name) {
    if (const auto link = topology.link(name)) {
        return std::vector<LinkIndex>{*link};
    }
    if (const auto device = topology.device(name)) {
        std::vector<LinkIndex> links;
        for (const Hop hop : topology.hops(*device)) {
            links.push_back(hop.link);
        }
        return links;
    }
    if (const auto node = nodeNamed(topology, name)) {
        if (topology.nodes() == 1) {
            return fail(Error::Code::BadInput,
                        "--fail",
                        "without " + name + ", the only node, nothing is left",
                        "more nodes with -n, or a link or device of it, such as " +
                            topology.devices().back().name);
        }
        return linksOutOf(topology, *node);
    }
    return nothingNamed(topology, name);
}

}  // namespace

std::string nodeName(const Topology& topology, std::int32_t node) {
    const std::string& device = topology.devices()[topology.devicesOf(node).front()].name;
    const std::size_t slash = device.rfind('/');
    return slash == std::string::npos ? "node" + std::to_string(node) : device.substr(0, slash);
}

Result<std::vector<LinkIndex>> linksDown(const Topology& topology,
                                         const std::vector<std::string>& names) {
    std::vector<LinkIndex> down;
    for (const std::string& name : names) {
        FABRICAST_ASSIGN(const std::vector<LinkIndex> links, linksNamed(topology, name));
        down.insert(down.end(), links.begin(), links.end());
    }
    std::ranges::sort(down);
    const auto twice = std::ranges::unique(down);
    down.erase(twice.begin(), twice.end());
    return down;
}

}  // namespace fabricast
