#include "planner/schedule/pipeline_span.h"
#include "planner/schedule/span_bounds.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace fabricast {
namespace {

std::vector<double> unevenStages(const PipelineShape& shape) {
    std::vector<double> passes;
    for (std::int64_t stage = 0; stage < shape.stages(); ++stage) {
        const double first = stage == 0 ? 1e-3 : 0;
        passes.insert(passes.end(), {20e-3 + first, 40e-3 + first, 21e-3, 19e-3});
    }
    return passes;
}

/// One pipeline, its order known: what a search pays for a layout it does not rule out.
void pipelineSpan(benchmark::State& state, OrderKind kind, const PipelineShape& shape) {
    SpanWorkspace workspace;
    const std::vector<double> passes = unevenStages(shape);
    const SpanTimes<double> times{.passes = passes, .handOver = 1e-4};
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            workspace.clock().time(workspace.steps(kind, shape), times).makespan);
    }
    const auto steps = static_cast<std::int64_t>(workspace.steps(kind, shape).steps.size());
    state.SetItemsProcessed(state.iterations() * steps);
    state.SetLabel("items: actions");
}
BENCHMARK_CAPTURE(pipelineSpan,
                  one_f_one_b_p16_m128,
                  OrderKind::OneFOneB,
                  {.ranks = 16, .microBatches = 128});
BENCHMARK_CAPTURE(pipelineSpan,
                  interleaved_p16_v8_m128,
                  OrderKind::Interleaved,
                  {.ranks = 16, .chunks = 8, .microBatches = 128, .group = 16});
BENCHMARK_CAPTURE(pipelineSpan,
                  dual_pipe_v_p8_m64,
                  OrderKind::DualPipeV,
                  {.ranks = 8, .chunks = 2, .microBatches = 64});

/// What it pays to rule one out.
void bound(benchmark::State& state) {
    const PipelineShape shape{.ranks = 16, .microBatches = 128};
    const std::vector<double> passes = unevenStages(shape);
    for (auto _ : state) {
        benchmark::DoNotOptimize(makespanBound(OrderKind::OneFOneB, shape, {passes, 1e-4}));
    }
}
BENCHMARK(bound);

void sortOrder(benchmark::State& state) {
    const PipelineShape shape{.ranks = 16, .chunks = 8, .microBatches = 128, .group = 16};
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            sortSteps(actionOrder(OrderKind::Interleaved, shape), PairMode::Atomic));
    }
}
BENCHMARK(sortOrder)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
