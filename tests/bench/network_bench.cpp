#include "planner/profiles/profile_store.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/network/fabric_cuts.h"
#include "simulator/network/router.h"
#include "simulator/network/transfers.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ClusterSpec h100(std::int64_t nodes) {
    ClusterSpec cluster = *ProfileStore::builtIn().cluster("dgx-h100");
    cluster.nodes = nodes;
    return cluster;
}

const Topology& largest() {
    static const Topology topology = clusterTopology(h100(2048), {})->topology;
    return topology;
}

/// 16,384 GPUs with all their switches, NICs and links.
void buildTopology(benchmark::State& state) {
    const ClusterSpec cluster = h100(2048);
    for (auto _ : state) {
        benchmark::DoNotOptimize(clusterTopology(cluster, {}));
    }
    state.SetLabel("target: under 1 s");
}
BENCHMARK(buildTopology)->Unit(benchmark::kMillisecond);

void bisectTopology(benchmark::State& state) {
    const Topology& topology = largest();
    for (auto _ : state) {
        benchmark::DoNotOptimize(bisection(topology));
    }
    state.SetLabel("target: under 1 s");
}
BENCHMARK(bisectTopology)->Unit(benchmark::kMillisecond);

/// Routes of 16,384 GPUs, each to one 128 nodes further on its rail.
void routeFlows(benchmark::State& state) {
    const Topology& topology = largest();
    const auto gpus = topology.gpus();
    Router router(topology);
    std::uint64_t flow = 0;
    for (auto _ : state) {
        const std::size_t from = flow * 8 % gpus.size();
        benchmark::DoNotOptimize(
            router.route(gpus[from], gpus[(from + 1024) % gpus.size()], {.flow = flow}));
        ++flow;
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(routeFlows);

/// Starts and ends of flows between GPUs at random rails, with a number of them at once: 64 nodes.
void shareFlows(benchmark::State& state) {
    const Topology topology = clusterTopology(h100(64), {})->topology;
    const auto gpus = topology.gpus();
    Router router(topology);
    FairShare network(resourceCapacities(topology));
    std::vector<std::vector<ResourceUse>> routes;
    for (std::uint64_t flow = 0; flow < 4096; ++flow) {
        const std::size_t from = flow * 7919 % gpus.size();
        const std::size_t to = (from + 8 * (1 + flow % 63)) % gpus.size();
        routes.push_back(router.route(gpus[from], gpus[to], {.flow = flow})->uses);
    }
    std::vector<FlowIndex> active;
    std::size_t next = 0;
    for (; next < static_cast<std::size_t>(state.range(0)); ++next) {
        active.push_back(network.start({.uses = routes[next % routes.size()]}));
    }
    std::size_t oldest = 0;
    for (auto _ : state) {
        network.end(active[oldest]);
        active[oldest] = network.start({.uses = routes[next++ % routes.size()]});
        oldest = (oldest + 1) % active.size();
    }
    state.SetItemsProcessed(state.iterations() * 2);
    state.SetLabel("starts and ends");
}
BENCHMARK(shareFlows)->Arg(16)->Arg(128)->Arg(1024);

}  // namespace
}  // namespace fabricast
