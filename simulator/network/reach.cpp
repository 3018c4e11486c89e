#include "simulator/network/fabric_cuts.h"
#include "simulator/network/local_paths.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/connected_components.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace fabricast {
namespace {

using Plain = boost::adjacency_list<boost::vecS,
                                    boost::vecS,
                                    boost::undirectedS,
                                    boost::no_property,
                                    boost::property<boost::edge_index_t, std::size_t>>;
using Parts = std::vector<std::size_t>;

bool isNetwork(const NetworkLink& link) {
    return link.kind == LinkKind::Network || link.kind == LinkKind::Wan;
}

/// The connected parts of what links inside nodes join, or links between them.
Parts partsOf(const Topology& topology, bool network) {
    Plain graph(topology.devices().size());
    for (const NetworkLink& link : topology.links()) {
        if (link.up && isNetwork(link) == network) {
            boost::add_edge(link.from, link.to, graph);
        }
    }
    Parts parts(topology.devices().size());
    boost::connected_components(graph, parts.data());
    return parts;
}

/// What a GPU can reach directly: its own part of the node, and the parts of the network that it
/// has a NIC in.
struct Doors {
    std::size_t inside = 0;
    std::vector<std::size_t> outside;
    friend auto operator<=>(const Doors&, const Doors&) = default;

    [[nodiscard]] bool meets(const Doors& other) const {
        std::vector<std::size_t> shared;
        std::ranges::set_intersection(outside, other.outside, std::back_inserter(shared));
        return inside == other.inside || !shared.empty();
    }
};

/// Links that are the only way between what they join, over whatever devices.
std::vector<LinkIndex> bridges(const Topology& topology) {
    Plain graph(topology.devices().size());
    std::vector<LinkIndex> linkOf;
    for (LinkIndex link = 0; link < topology.links().size(); ++link) {
        const NetworkLink& joined = topology.links()[link];
        if (joined.up) {
            boost::add_edge(joined.from, joined.to, linkOf.size(), graph);
            linkOf.push_back(link);
        }
    }
    Parts block(linkOf.size());
    const std::size_t blocks = boost::biconnected_components(
        graph,
        boost::make_iterator_property_map(block.begin(), boost::get(boost::edge_index, graph)));
    Parts size(blocks, 0);
    for (const std::size_t of : block) {
        ++size[of];
    }
    std::vector<LinkIndex> alone;
    for (std::size_t edge = 0; edge < block.size(); ++edge) {
        if (size[block[edge]] == 1) {
            alone.push_back(linkOf[edge]);
        }
    }
    return alone;
}

/// What is left without the bridges, joined by them: a tree, or several.
class BridgeTree {
public:
    BridgeTree(const Topology& topology, const std::vector<LinkIndex>& alone)
        : topology_(topology), part_(partsWithout(topology, alone)) {
        const std::size_t parts = part_.empty() ? 0 : std::ranges::max(part_) + 1;
        joined_.resize(parts);
        below_.assign(parts, 0);
        for (const LinkIndex link : alone) {
            const std::size_t from = part_[topology.links()[link].from];
            const std::size_t to = part_[topology.links()[link].to];
            joined_[from].push_back(to);
            joined_[to].push_back(from);
        }
        for (const DeviceIndex gpu : topology.gpus()) {
            ++below_[part_[gpu]];
        }
        parent_.assign(parts, parts);
        root_.assign(parts, parts);
        for (std::size_t part = 0; part < parts; ++part) {
            if (root_[part] == parts) {
                countFrom(part);
            }
        }
    }

    [[nodiscard]] bool partsGpus(LinkIndex link) const {
        const std::size_t from = part_[topology_.links()[link].from];
        const std::size_t to = part_[topology_.links()[link].to];
        const std::size_t child = parent_[from] == to ? from : to;
        return below_[child] > 0 && below_[child] < below_[root_[child]];
    }

private:
    static Parts partsWithout(const Topology& topology, const std::vector<LinkIndex>& alone) {
        Plain graph(topology.devices().size());
        std::vector<bool> left(topology.links().size(), true);
        for (const LinkIndex link : alone) {
            left[link] = false;
        }
        for (LinkIndex link = 0; link < left.size(); ++link) {
            if (left[link] && topology.links()[link].up) {
                boost::add_edge(topology.links()[link].from, topology.links()[link].to, graph);
            }
        }
        Parts parts(topology.devices().size());
        boost::connected_components(graph, parts.data());
        return parts;
    }

    /// GPUs below each part of one tree: parts in the order they are met, then added up backwards.
    void countFrom(std::size_t root) {
        std::vector<std::size_t> met = {root};
        root_[root] = root;
        for (std::size_t next = 0; next < met.size(); ++next) {
            for (const std::size_t other : joined_[met[next]]) {
                if (root_[other] == root_.size()) {
                    root_[other] = root;
                    parent_[other] = met[next];
                    met.push_back(other);
                }
            }
        }
        for (std::size_t last = met.size() - 1; last > 0; --last) {
            below_[parent_[met[last]]] += below_[met[last]];
        }
    }

    const Topology& topology_;
    Parts part_;
    std::vector<Parts> joined_;
    Parts below_;
    Parts parent_;
    Parts root_;
};

}  // namespace

GpuReach gpuReach(const Topology& topology) {
    const Parts inside = partsOf(topology, false);
    const Parts outside = partsOf(topology, true);
    // A node's NICs by the part of it that they are in.
    std::map<std::pair<std::int32_t, std::size_t>, std::set<std::size_t>> doors;
    for (DeviceIndex device = 0; device < inside.size(); ++device) {
        const NetworkDevice& at = topology.devices()[device];
        if (at.kind == DeviceKind::Nic) {
            doors[{at.node, inside[device]}].insert(outside[device]);
        }
    }
    std::map<Doors, std::vector<DeviceIndex>> groups;
    // GPUs with the same doors to the network are one group, whatever their node.
    std::map<std::vector<std::size_t>, std::size_t> sizes;
    for (const DeviceIndex gpu : topology.gpus()) {
        const auto found = doors.find({topology.devices()[gpu].node, inside[gpu]});
        Doors own{inside[gpu], {}};
        if (found != doors.end()) {
            own.outside.assign(found->second.begin(), found->second.end());
        }
        groups[own].push_back(gpu);
    }
    for (const auto& [own, gpus] : groups) {
        sizes[own.outside] += gpus.size();
    }
    const auto sizeOf = [&](const auto& group) {
        return group.first.outside.empty() ? group.second.size() : sizes[group.first.outside];
    };
    const auto main = std::ranges::max_element(groups, {}, sizeOf);
    GpuReach reach;
    for (const auto& [own, gpus] : groups) {
        if (own.meets(main->first)) {
            reach.largest += gpus.size();
        } else {
            reach.apart.insert(reach.apart.end(), gpus.begin(), gpus.end());
        }
    }
    std::ranges::sort(reach.apart);
    return reach;
}

std::vector<LinkIndex> singlePoints(const Topology& topology) {
    const std::vector<LinkIndex> alone = bridges(topology);
    const BridgeTree tree(topology, alone);
    std::vector<LinkIndex> points;
    for (const LinkIndex link : alone) {
        if (isNetwork(topology.links()[link]) && tree.partsGpus(link)) {
            points.push_back(link);
        }
    }
    return points;
}

}  // namespace fabricast
