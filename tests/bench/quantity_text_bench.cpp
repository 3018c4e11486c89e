#include "planner/base/quantity_text.h"

#include <benchmark/benchmark.h>

#include <string>

namespace fabricast {
namespace {

void parseSize(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(parseQuantity<Bytes>(text));
    }
}
BENCHMARK_CAPTURE(parseSize, exact, "80 GiB");
BENCHMARK_CAPTURE(parseSize, rounded, "79.65 GiB");
BENCHMARK_CAPTURE(parseSize, refused, "80 gib");

void parseRate(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(parseQuantity<BytesPerSecond>("400 Gbps"));
    }
}
BENCHMARK(parseRate);

void printSize(benchmark::State& state) {
    const Bytes size(85'523'536'282);
    for (auto _ : state) {
        benchmark::DoNotOptimize(quantityText(size));
    }
}
BENCHMARK(printSize);

}  // namespace
}  // namespace fabricast
