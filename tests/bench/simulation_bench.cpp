#include "simulator/engine/critical_path.h"
#include "simulator/engine/simulate.h"

#include <benchmark/benchmark.h>

namespace fabricast {
namespace {

/// Sixteen stages of a pipeline that is never empty: each op waits for its neighbour's.
SimProgram pipeline(std::int64_t microBatches) {
    constexpr ActorIndex kStages = 16;
    SimProgram program({.actors = kStages, .contention = 0.1});
    OpIndex made = kNoOp;
    for (std::int64_t microBatch = 0; microBatch < microBatches; ++microBatch) {
        for (ActorIndex stage = 0; stage < kStages; ++stage) {
            const OpIndex wire = program.add({.duration = SimTime(1'000'000),
                                              .actor = stage,
                                              .kind = SimKind::HandOver,
                                              .stream = SimStream::Pipeline});
            if (stage > 0) {
                program.wait(wire, made);
            }
            const OpIndex kernels = program.add({.duration = SimTime(20'000'000),
                                                 .actor = stage,
                                                 .stream = SimStream::Compute,
                                                 .slowed = true});
            program.wait(kernels, wire);
            made = program.add(
                {.duration = SimTime(3'000'000), .actor = stage, .stream = SimStream::Tensor});
            program.wait(made, kernels);
        }
    }
    return program;
}

void simulateEvents(benchmark::State& state) {
    const SimProgram program = pipeline(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(simulate(program)->makespan);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(program.ops().size()));
    state.SetLabel("items: events");
}
BENCHMARK(simulateEvents)->RangeMultiplier(8)->Range(64, 4096)->Unit(benchmark::kMillisecond);

void pathOfEvents(benchmark::State& state) {
    const SimProgram program = pipeline(512);
    const SimRun run = simulate(program).value();
    for (auto _ : state) {
        benchmark::DoNotOptimize(criticalPath(program, run).busiest);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(program.ops().size()));
    state.SetLabel("items: ops");
}
BENCHMARK(pathOfEvents)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
