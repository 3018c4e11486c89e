#include "cli/run_program.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

/// Every GPU that has a price, 12 counts, 4 networks: a complete call except process start.
void sizeOfACatalogue(benchmark::State& state, const std::vector<std::string>& asked) {
    std::vector<std::string> arguments = {"size",
                                          "-n",
                                          "1,2,4,8,12,16,24,32,48,64,96,128",
                                          "--fabric",
                                          "ib-xdr,ib-ndr,roce-400,ib-hdr",
                                          "--target",
                                          "days=60",
                                          "--no-fail"};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    for (auto _ : state) {
        const ProgramOutput answer = runProgram(arguments, {});
        if (answer.out.empty()) {
            state.SkipWithError(answer.err.c_str());
        }
    }
    state.SetLabel("target: under 5 s on two cores");
}
BENCHMARK_CAPTURE(
    sizeOfACatalogue,
    llama_70b,
    {"-m", "llama-3.1-70b", "--seq", "8192", "--global-batch", "1024", "--tokens", "1T"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fabricast
