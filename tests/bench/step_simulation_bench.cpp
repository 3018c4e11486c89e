#include "planner/load/load_question.h"
#include "planner/text/json_document.h"
#include "simulator/links/link_loads.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/program/simulate_step.h"

#include <benchmark/benchmark.h>

#include <string>

namespace fabricast {
namespace {

const ProfileStore& profiles() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

/// One step, from the scenario to its critical path and links.
void simulateWhole(benchmark::State& state,
                   const std::string& scenario,
                   const std::string& target) {
    const TimingProfiles timing = loadTiming(profiles()).value();
    const JsonValue root = parseJson(scenario, "scenario").value();
    const LoadedScenario loaded = loadScenario(root, profiles(), {}).value();
    std::uint64_t events = 0;
    for (auto _ : state) {
        const auto step = simulateStep(loaded.scenario, timing, {});
        if (!step) {
            state.SkipWithError(step.error().text().c_str());
            break;
        }
        events += step->run.events;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(events));
    state.SetLabel("items: events; target: " + target);
}
BENCHMARK_CAPTURE(simulateWhole,
                  llama_405b_on_16384,
                  R"({"model": "llama-3.1-405b", "stack": "megatron",
                      "cluster": {"name": "llama3-24k", "nodes": 2048},
                      "workload": {"sequence": 8192, "global_batch": 16384},
                      "layout": {"tp": 8, "pp": 16, "vpp": 8, "sp": true}})",
                  "1 s")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateWhole,
                  deepseek_v3_on_1024,
                  R"({"model": "deepseek-v3", "stack": "megatron",
                      "cluster": {"name": "dgx-h100", "nodes": 128},
                      "workload": {"sequence": 4096, "global_batch": 4096},
                      "layout": {"pp": 16, "ep": 64}})",
                  "5 s")
    ->Unit(benchmark::kMillisecond);

/// What every GPU sending to every other puts on each link of a rail-optimised fabric.
void loadsOfAllToAll(benchmark::State& state) {
    ClusterSpec cluster = profiles().cluster("dgx-h100").value();
    cluster.nodes = state.range(0) / 8;
    const Topology topology = clusterTopology(cluster, {}).value().topology;
    RankGroup group;
    for (std::int64_t rank = 0; rank < state.range(0); ++rank) {
        group.push_back(RankId(rank));
    }
    const std::vector<RankTraffic> traffic = groupTraffic(group, TrafficPattern::ToAll, 8);
    for (auto _ : state) {
        LinkLoads loads(topology);
        benchmark::DoNotOptimize(loads.of(traffic).size());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(traffic.size()));
    state.SetLabel("items: pairs of GPUs; target: 5 s of 1,024");
}
BENCHMARK(loadsOfAllToAll)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
