#include "planner/load/load_question.h"
#include "planner/search/find_plans.h"
#include "planner/text/json_document.h"

#include <benchmark/benchmark.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace fabricast {
namespace {

const ProfileStore& profiles() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

const TimingProfiles& timing() {
    static const TimingProfiles loaded = loadTiming(profiles()).value();
    return loaded;
}

SearchTask taskOf(const std::string& scenario) {
    const JsonValue root = parseJson(scenario, "scenario").value();
    LoadedSearch loaded = loadSearch(root, profiles(), {}, {}).value();
    SearchTask task{
        .base = std::move(loaded.base), .stacks = std::move(loaded.stacks), .rules = {}};
    task.rules.fixed = std::move(loaded.fixed);
    return task;
}

/// A whole search on one core, from the axes to the five best layouts walked.
void search(benchmark::State& state, const std::string& scenario, const std::string& target) {
    const SearchTask task = taskOf(scenario);
    std::int64_t layouts = 0;
    for (auto _ : state) {
        const auto report = findPlans(task, timing(), {});
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
                  "25 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  mistral_7b_on_8,
                  R"({"model": "mistral-7b", "cluster": {"name": "dgx-h100", "nodes": 1},
                      "workload": {"sequence": 8192, "global_batch": 128}})",
                  "8 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  llama_405b_on_16384,
                  R"({"model": "llama-3.1-405b", "cluster": {"name": "dgx-h100", "nodes": 2048},
                      "workload": {"sequence": 8192, "global_batch": 2048}})",
                  "100 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  gpt3_on_4096,
                  R"({"model": "gpt3-175b", "cluster": {"name": "dgx-a100", "nodes": 512},
                      "workload": {"sequence": 2048, "global_batch": 1536}})",
                  "120 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  gpt_oss_120b_on_64,
                  R"({"model": "gpt-oss-120b", "cluster": {"name": "dgx-h100", "nodes": 8},
                      "workload": {"sequence": 8192, "global_batch": 512}})",
                  "100 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  gpt_oss_120b_on_2048,
                  R"({"model": "gpt-oss-120b", "cluster": {"name": "dgx-h100", "nodes": 256},
                      "workload": {"sequence": 8192, "global_batch": 2048}})",
                  "400 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  qwen3_235b_on_256,
                  R"({"model": "qwen3-235b-a22b", "cluster": {"name": "dgx-h200", "nodes": 32},
                      "workload": {"sequence": 4096, "global_batch": 1024}})",
                  "150 ms")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search,
                  deepseek_v3_on_2048,
                  R"({"model": "deepseek-v3", "cluster": {"name": "dgx-h100", "nodes": 256},
                      "workload": {"sequence": 4096, "global_batch": 15360}})",
                  "400 ms")
    ->Unit(benchmark::kMillisecond);

/// Five rows that differ in what matters, as answers have them: many more layouts are walked.
void searchRows(benchmark::State& state, const std::string& scenario) {
    const SearchTask task = taskOf(scenario);
    for (auto _ : state) {
        const auto report = findPlans(task, timing(), {.distinct = true});
        if (!report || report->plans.empty()) {
            state.SkipWithError("no plan");
            break;
        }
    }
}
BENCHMARK_CAPTURE(searchRows,
                  llama_70b_on_64,
                  R"({"model": "llama-3.1-70b", "cluster": {"name": "dgx-h100", "nodes": 8},
                      "workload": {"sequence": 8192, "global_batch": 512}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchRows,
                  qwen3_235b_on_256,
                  R"({"model": "qwen3-235b-a22b", "cluster": {"name": "dgx-h200", "nodes": 32},
                      "workload": {"sequence": 4096, "global_batch": 1024}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchRows,
                  deepseek_v3_on_2048,
                  R"({"model": "deepseek-v3", "cluster": {"name": "dgx-h100", "nodes": 256},
                      "workload": {"sequence": 4096, "global_batch": 15360}})")
    ->Unit(benchmark::kMillisecond);

/// A search after one of which one value was another, as the rows of an answer are searched: with
/// what that one worked out.
void searchAgain(benchmark::State& state,
                 const std::string& scenario,
                 const std::function<void(Scenario&, double)>& change) {
    SearchTask task = taskOf(scenario);
    KnownWork known;
    const SearchOptions options{.distinct = true, .known = &known};
    bool found = findPlans(task, timing(), options).has_value();
    double factor = 1.0;
    for (auto _ : state) {
        state.PauseTiming();
        const Scenario before = task.base;
        change(task.base, factor += 0.01);
        state.ResumeTiming();
        found = found && findPlans(task, timing(), options).has_value();
        state.PauseTiming();
        task.base = before;
        state.ResumeTiming();
    }
    if (!found) {
        state.SkipWithError("no plan");
    }
}
void anotherNetwork(Scenario& scenario, double factor) {
    Sourced<BytesPerSecond>& rate = scenario.cluster.node.nicBandwidth;
    rate.value = rate.value.value_or(BytesPerSecond(1e9)) * factor;
}
void anotherBatch(Scenario& scenario, double factor) {
    scenario.workload.globalBatch += 64 * std::lround(100.0 * (factor - 1.0));
}
void nothingElse(Scenario& /*scenario*/, double /*factor*/) {}
constexpr const char* k70b = R"({"model": "llama-3.1-70b",
    "cluster": {"name": "dgx-h100", "nodes": 8},
    "workload": {"sequence": 8192, "global_batch": 512}})";
constexpr const char* kGptOss = R"({"model": "gpt-oss-120b",
    "cluster": {"name": "dgx-h100", "nodes": 8},
    "workload": {"sequence": 8192, "global_batch": 512}})";
BENCHMARK_CAPTURE(searchAgain, llama_70b_undone, k70b, nothingElse)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchAgain, llama_70b_network, k70b, anotherNetwork)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchAgain, llama_70b_batch, k70b, anotherBatch)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchAgain, gpt_oss_120b_undone, kGptOss, nothingElse)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchAgain, gpt_oss_120b_network, kGptOss, anotherNetwork)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchAgain, gpt_oss_120b_batch, kGptOss, anotherBatch)
    ->Unit(benchmark::kMillisecond);

/// CPU time of a thread so far.
double cpuSeconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How long a search still works after a stop, at the worst of moments all over it.
void searchStops(benchmark::State& state, const std::string& scenario) {
    using Clock = std::chrono::steady_clock;
    constexpr double kGolden = 0.6180339887;  // its multiples lie evenly over the search
    const SearchTask task = taskOf(scenario);
    KnownWork known;  // as in a window: what it worked out is left to the next search
    const Clock::time_point start = Clock::now();
    const bool whole = findPlans(task, timing(), {}).has_value();
    const std::chrono::duration<double> length = Clock::now() - start;
    double worst = 0.0;
    double moment = 0.0;
    int stopped = 0;
    for (auto _ : state) {
        if (!whole) {
            state.SkipWithError("no plan");
            break;
        }
        moment += kGolden - (moment + kGolden >= 1.0 ? 1.0 : 0.0);
        std::stop_source stop;
        const Watch watch{.stop = stop.get_token()};
        double end = 0.0;
        bool done = false;
        std::thread searcher([&] {
            done = findPlans(task, timing(), {.known = &known}, watch).has_value();
            end = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
        });
        std::this_thread::sleep_for(moment * length);
        clockid_t clock{};
        const bool runs = pthread_getcpuclockid(searcher.native_handle(), &clock) == 0;
        const double asked = runs ? cpuSeconds(clock) : 0.0;
        stop.request_stop();
        searcher.join();
        if (runs && !done) {
            worst = std::max(worst, end - asked);
            ++stopped;
        }
    }
    state.counters["worst_ms"] = 1e3 * worst;
    state.counters["stopped"] = stopped;
    state.SetLabel("target: worst_ms 5");
}
BENCHMARK_CAPTURE(searchStops,
                  deepseek_v3_on_2048,
                  R"({"model": "deepseek-v3", "cluster": {"name": "dgx-h100", "nodes": 256},
                      "workload": {"sequence": 4096, "global_batch": 15360}})")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100)
    ->UseRealTime();
BENCHMARK_CAPTURE(searchStops,
                  llama_405b_on_16384,
                  R"({"model": "llama-3.1-405b", "cluster": {"name": "dgx-h100", "nodes": 2048},
                      "workload": {"sequence": 8192, "global_batch": 2048}})")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100)
    ->UseRealTime();

}  // namespace
}  // namespace fabricast
