#include "study/topology.h"

#include "planner/load/find_named.h"
#include "simulator/topology/read_topology.h"

#include <utility>

namespace fabricast {
namespace {

Result<DescribedTopology> fromCluster(const TopologyAsk& ask, const ProfileStore& profiles) {
    FABRICAST_ASSIGN(const FoundCluster found, findCluster(ask.cluster, profiles, ask.folders));
    TopologyOptions options = ask.options;
    options.fails = !ask.failed.empty();
    if (const std::string& link = found.cluster.node.pci.hostLink; !link.empty()) {
        FABRICAST_ASSIGN(const FabricSpec host, profiles.fabric(link, ask.cluster.where));
        options.hostLink = host.linkBandwidth.value;
    }
    return clusterTopology(found.cluster, options);
}

}  // namespace

Result<TopologyAnswer> topology(const TopologyAsk& ask, const Workbench& bench) {
    if (ask.cluster.name.empty() == ask.file.empty()) {
        return fail(Error::Code::BadInput,
                    "topology",
                    ask.file.empty() ? "no cluster given" : "a cluster or a file, not both",
                    "-c dgx-h100 -n 4, or --file topo.xml");
    }
    FABRICAST_ASSIGN(DescribedTopology described,
                     ask.file.empty() ? fromCluster(ask, bench.profiles())
                                      : readTopology(ask.file, ask.gpu, bench.profiles()));
    FABRICAST_ASSIGN(TopologyFacts facts, topologyFacts(described, ask.failed));
    return TopologyAnswer{std::move(described), std::move(facts)};
}

}  // namespace fabricast
