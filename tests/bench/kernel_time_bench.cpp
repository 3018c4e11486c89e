#include "planner/compute/attention_time.h"
#include "planner/compute/gemm_time.h"
#include "planner/profiles/profile_store.h"

#include <benchmark/benchmark.h>

namespace fabricast {
namespace {

const KernelProfile& kernels() {
    static const KernelProfile read = *ProfileStore::builtIn().gpu("h100-sxm5-80gb")->kernels;
    return read;
}

/// One evaluation: nine tiles, and up to four splits of k where the product is small.
void gemm(benchmark::State& state) {
    Gemm shape{.m = state.range(0), .n = 4096, .k = 4096};
    for (auto _ : state) {
        shape.n ^= 1;
        benchmark::DoNotOptimize(gemmTime(kernels(), shape, {}));
    }
    state.SetLabel("target: about 100 ns");
}
BENCHMARK(gemm)->Arg(128)->Arg(8192);

void attention(benchmark::State& state) {
    Attention shape{.heads = 32, .kvHeads = 8, .queries = 8192, .keys = 8192};
    for (auto _ : state) {
        shape.queries ^= 1;
        benchmark::DoNotOptimize(attentionTime(kernels(), shape, {}));
    }
}
BENCHMARK(attention);

}  // namespace
}  // namespace fabricast
