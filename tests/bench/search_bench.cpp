#include "planner/io/json_document.h"
#include "planner/load/load_search.h"
#include "planner/load/load_timing.h"
#include "planner/search/find_plans.h"

#include <benchmark/benchmark.h>

#include <string>

namespace fabricast {
namespace {

const ProfileStore& profiles() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

/// A whole search on one core, from the axes to the five best layouts walked.
void search(benchmark::State& state, const std::string& scenario, const std::string& target) {
    static const TimingProfiles timing = loadTiming(profiles()).value();
    const JsonValue root = parseJson(scenario, "scenario").value();
    LoadedSearch loaded = loadSearch(root, profiles(), {}, {}).value();
    SearchTask task{
        .base = std::move(loaded.base), .stacks = std::move(loaded.stacks), .rules = {}};
    task.rules.fixed = std::move(loaded.fixed);
    std::int64_t layouts = 0;
    for (auto _ : state) {
        const auto report = findPlans(task, timing, {});
        if (!report || report->plans.empty()) {
            state.SkipWithError("no plan");
            break;
        }
        layouts += report->candidates;
    }
    state.SetItemsProcessed(layouts);
    state.SetLabel("items: layouts; target: " + target);
}
BENCHMARK_CAPTURE(search,
                  llama_70b_on_64,
                  R"({"model": "llama-3.1-70b", "cluster": {"name": "dgx-h100", "nodes": 8},
                      "workload": {"sequence": 8192, "global_batch": 512}})",
                  "16 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  llama_405b_on_16384,
                  R"({"model": "llama-3.1-405b", "cluster": {"name": "dgx-h100", "nodes": 2048},
                      "workload": {"sequence": 8192, "global_batch": 2048}})",
                  "250 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  gpt3_on_4096,
                  R"({"model": "gpt3-175b", "cluster": {"name": "dgx-a100", "nodes": 512},
                      "workload": {"sequence": 2048, "global_batch": 1536}})",
                  "1,000,000 layouts/s")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
