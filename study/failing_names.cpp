#include "simulator/network/fabric_cuts.h"
#include "study/lint_files.h"

#include <algorithm>
#include <iterator>

namespace fabricast {

std::vector<std::string> failingNames(const TopologyAnswer& answer, std::size_t most) {
    const Topology& topology = answer.described.topology;
    std::vector<std::string> names;
    std::vector<std::string> inside;
    for (const NetworkDevice& device : topology.devices()) {
        (device.node == kNoNode ? names : inside).push_back(device.name);
    }
    for (std::size_t node = 0; node < topology.nodes(); ++node) {
        names.push_back(nodeName(topology, static_cast<std::int32_t>(node)));
    }
    for (LinkIndex link = 0; link < topology.links().size() && names.size() < most; ++link) {
        names.push_back(topology.linkName(link));
    }
    names.insert(names.end(), inside.begin(), inside.end());
    names.resize(std::min(names.size(), most));
    return names;
}

std::vector<std::string> namesInNetwork(const TopologyAnswer& answer,
                                        const std::vector<std::string>& names) {
    std::vector<std::string> known;
    std::ranges::copy_if(names, std::back_inserter(known), [&answer](const std::string& name) {
        return linksDown(answer.described.topology, {name}).has_value();
    });
    return known;
}

}  // namespace fabricast
