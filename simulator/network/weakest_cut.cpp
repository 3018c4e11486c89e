#include "simulator/network/fabric_cuts.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fabricast {
namespace {

using Rate = std::int64_t;  // bytes per second: whole numbers give the same cut everywhere
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct FlowVertex {
    boost::default_color_type color = boost::white_color;
    Traits::edge_descriptor predecessor{};
    Rate distance = 0;
};
struct FlowEdge {
    Rate capacity = 0;
    Rate residual = 0;
    Traits::edge_descriptor reverse{};
};
using FlowGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, FlowVertex, FlowEdge>;

constexpr std::uint32_t kSource = 0;
constexpr std::uint32_t kSink = 1;
constexpr std::uint32_t kUnset = std::numeric_limits<std::uint32_t>::max();

Rate rateOf(BytesPerSecond rate) {
    return std::llround(rate.count());
}

/// A link between two vertices of the contracted graph, with what it carries either way.
struct FlowArc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Rate forth = 0;
    Rate back = 0;
    LinkIndex link = 0;  ///< the first of those that are one arc
};

/// The graph with either group in one vertex, and without what leads nowhere.
class Contraction {
public:
    Contraction(const Topology& topology,
                std::span<const DeviceIndex> from,
                std::span<const DeviceIndex> to)
        : topology_(topology),
          vertex_(topology.devices().size(), kUnset),
          nodes_(topology.nodes()) {
        take(from, kSource);
        take(to, kSink);
        for (DeviceIndex device = 0; device < vertex_.size(); ++device) {
            if (vertex_[device] == kUnset && !isDeadEnd(device)) {
                vertex_[device] = next_++;
            }
        }
        for (LinkIndex link = 0; link < topology.links().size(); ++link) {
            addArc(link);
        }
    }

    [[nodiscard]] std::uint32_t vertices() const { return next_; }
    [[nodiscard]] const std::vector<FlowArc>& arcs() const { return arcs_; }

private:
    void take(std::span<const DeviceIndex> gpus, std::uint32_t group) {
        for (const DeviceIndex gpu : gpus) {
            vertex_[gpu] = group;
            const std::int32_t node = topology_.devices()[gpu].node;
            if (node != kNoNode) {
                (group == kSource ? nodes_[static_cast<std::size_t>(node)].sends
                                  : nodes_[static_cast<std::size_t>(node)].gets) = true;
            }
        }
    }

    /// All its links go to one group.
    [[nodiscard]] bool isDeadEnd(DeviceIndex device) const {
        std::uint32_t only = kUnset;
        for (const Hop hop : topology_.hops(device)) {
            const std::uint32_t other = vertex_[hop.to];
            if (other > kSink || (only != kUnset && only != other)) {
                return false;
            }
            only = other;
        }
        return true;
    }

    void addArc(LinkIndex index) {
        const NetworkLink& link = topology_.links()[index];
        const std::uint32_t from = vertex_[link.from];
        const std::uint32_t to = vertex_[link.to];
        if (!link.up || from == kUnset || to == kUnset || from == to) {
            return;
        }
        FlowArc arc{from, to, rateOf(link.bandwidth), rateOf(link.bandwidth), index};
        closeNic(topology_.devices()[link.from], topology_.devices()[link.to], arc.forth, arc.back);
        closeNic(topology_.devices()[link.to], topology_.devices()[link.from], arc.back, arc.forth);
        if (arc.forth > 0 || arc.back > 0) {
            arcs_.push_back(arc);
        }
    }

    /// No traffic of others goes through a node: into it only where GPUs of it get something.
    void closeNic(const NetworkDevice& nic, const NetworkDevice& other, Rate& out, Rate& in) const {
        if (nic.kind != DeviceKind::Nic || nic.node == kNoNode || other.node == nic.node) {
            return;
        }
        const Ends ends = nodes_[static_cast<std::size_t>(nic.node)];
        out = ends.sends ? out : 0;
        in = ends.gets ? in : 0;
    }

    struct Ends {
        bool sends = false;
        bool gets = false;
    };
    const Topology& topology_;
    std::vector<std::uint32_t> vertex_;
    std::vector<Ends> nodes_;
    std::vector<FlowArc> arcs_;
    std::uint32_t next_ = kSink + 1;
};

/// Parallel arcs as one, so that there are few.
std::vector<FlowArc> merged(std::vector<FlowArc> arcs) {
    for (FlowArc& arc : arcs) {
        if (arc.from > arc.to) {
            std::swap(arc.from, arc.to);
            std::swap(arc.forth, arc.back);
        }
    }
    const auto ends = [](const FlowArc& arc) { return std::pair(arc.from, arc.to); };
    std::ranges::sort(arcs, {}, ends);
    std::vector<FlowArc> few;
    for (const FlowArc& arc : arcs) {
        if (!few.empty() && ends(few.back()) == ends(arc)) {
            few.back().forth += arc.forth;
            few.back().back += arc.back;
        } else {
            few.push_back(arc);
        }
    }
    return few;
}

FlowGraph flowGraph(std::uint32_t vertices, const std::vector<FlowArc>& arcs) {
    FlowGraph graph(vertices);
    for (const FlowArc& arc : arcs) {
        const auto forth =
            boost::add_edge(arc.from, arc.to, {arc.forth, arc.forth, {}}, graph).first;
        const auto back = boost::add_edge(arc.to, arc.from, {arc.back, arc.back, {}}, graph).first;
        graph[forth].reverse = back;
        graph[back].reverse = forth;
    }
    return graph;
}

/// What the source still reaches: the near side of the cut.
std::vector<bool> nearSide(const FlowGraph& graph) {
    std::vector<bool> reached(boost::num_vertices(graph), false);
    std::vector<std::size_t> open = {kSource};
    reached[kSource] = true;
    while (!open.empty()) {
        const std::size_t vertex = open.back();
        open.pop_back();
        for (auto [edge, end] = boost::out_edges(vertex, graph); edge != end; ++edge) {
            const std::size_t next = boost::target(*edge, graph);
            if (!reached[next] && graph[*edge].residual > 0) {
                reached[next] = true;
                open.push_back(next);
            }
        }
    }
    return reached;
}

}  // namespace

NetworkCut weakestCut(const Topology& topology,
                      std::span<const DeviceIndex> from,
                      std::span<const DeviceIndex> to) {
    const Contraction contraction(topology, from, to);
    FlowGraph graph = flowGraph(contraction.vertices(), merged(contraction.arcs()));
    const Rate most = boost::boykov_kolmogorov_max_flow(graph,
                                                        boost::get(&FlowEdge::capacity, graph),
                                                        boost::get(&FlowEdge::residual, graph),
                                                        boost::get(&FlowEdge::reverse, graph),
                                                        boost::get(&FlowVertex::predecessor, graph),
                                                        boost::get(&FlowVertex::color, graph),
                                                        boost::get(&FlowVertex::distance, graph),
                                                        boost::get(boost::vertex_index, graph),
                                                        kSource,
                                                        kSink);
    NetworkCut cut{BytesPerSecond(static_cast<double>(most)), {}};
    const std::vector<bool> near = nearSide(graph);
    for (const FlowArc& arc : contraction.arcs()) {
        // A link that carries nothing across, as its NIC forwards for no other node, limits
        // nothing.
        const Rate across = near[arc.from] ? arc.forth : arc.back;
        if (near[arc.from] != near[arc.to] && across > 0) {
            cut.links.push_back(arc.link);
        }
    }
    return cut;
}

Halves halvesOf(const Topology& topology) {
    const std::span<const DeviceIndex> gpus = topology.gpus();
    const auto middle = static_cast<std::int32_t>(topology.nodes() / 2);
    Halves halves;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
        const bool first = topology.nodes() > 1 ? topology.devices()[gpus[gpu]].node < middle
                                                : gpu < gpus.size() / 2;
        (first ? halves.first : halves.second).push_back(gpus[gpu]);
    }
    return halves;
}

NetworkCut bisection(const Topology& topology) {
    const Halves halves = halvesOf(topology);
    return halves.first.empty() || halves.second.empty()
               ? NetworkCut{}
               : weakestCut(topology, halves.first, halves.second);
}

NetworkCut nodeCut(const Topology& topology, std::int32_t node) {
    std::vector<DeviceIndex> own;
    std::vector<DeviceIndex> others;
    for (const DeviceIndex gpu : topology.gpus()) {
        (topology.devices()[gpu].node == node ? own : others).push_back(gpu);
    }
    return own.empty() || others.empty() ? NetworkCut{} : weakestCut(topology, own, others);
}

}  // namespace fabricast
