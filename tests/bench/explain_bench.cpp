#include "cli/run_program.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

/// A complete call of the program except process start: profiles, model, walk, report.
void explain(benchmark::State& state, const std::vector<std::string>& arguments) {
    for (auto _ : state) {
        const ProgramOutput answer = runProgram(arguments, {});
        if (answer.out.empty()) {
            state.SkipWithError(answer.err.c_str());
        }
    }
    state.SetLabel("target: under 30 ms");
}
BENCHMARK_CAPTURE(explain,
                  llama_8b_fsdp2,
                  {"explain", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "fsdp2"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain,
                  llama_405b_torchtitan,
                  {"explain",
                   "-m",
                   "llama-3.1-405b",
                   "-c",
                   "dgx-h100",
                   "-n",
                   "64",
                   "--stack",
                   "torchtitan",
                   "--layout",
                   "tp=8,recompute=full",
                   "--seq",
                   "8192"})
    ->Unit(benchmark::kMillisecond);

void countParameters(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(runProgram({"model", "deepseek-v3"}, {}));
    }
}
BENCHMARK(countParameters)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
