#include "simulator/faults/run_study.h"

#include <benchmark/benchmark.h>

namespace fabricast {
namespace {

/// A hundred thousand steps of 5 s on 16,384 GPUs: 3 h between failures, saved every 20 steps.
RunPlan largeRun() {
    RunPlan plan{.steps = 100'000, .step = Seconds(5.0)};
    plan.saving = {.every = 20, .blocking = Seconds(0.5), .lag = Seconds(10.0)};
    plan.failures = {.mtbf = Seconds(11'000.0),
                     .oneHostShare = 0.91,
                     .hardwareShare = 0.77,
                     .detection = Seconds(600.0),
                     .restart = Seconds(300.0),
                     .load = Seconds(10.0),
                     .repair = Seconds(86'400.0),
                     .spares = 8};
    return plan;
}

void play(benchmark::State& state, const RunPlan& plan) {
    const JitterDraw draw(plan.jitter);
    std::uint64_t run = 0;
    for (auto _ : state) {
        StepClock clock(plan, draw, 1, run);
        benchmark::DoNotOptimize(playRun(plan, clock, randomFailures(plan.failures, 1, run)));
        ++run;
    }
    state.SetItemsProcessed(state.iterations());
    state.SetLabel("items: runs of 100,000 steps");
}

void runsWithFailures(benchmark::State& state) {
    play(state, largeRun());
}
BENCHMARK(runsWithFailures)->Unit(benchmark::kMicrosecond);

void runsWithJitter(benchmark::State& state) {
    RunPlan plan = largeRun();
    plan.jitter = {{.ranks = 16'384.0, .spread = Seconds(0.04)}};
    play(state, plan);
}
BENCHMARK(runsWithJitter)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fabricast
