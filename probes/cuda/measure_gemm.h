#pragma once
#include "probes/cuda/gpu_bench.h"

namespace fabricast::probe {

/// "gemm dtype=bf16 m=8192 n=4096 k=4096 layout=tn [accumulate=1]", or what is wrong with it. The
/// names other than these that a point may have besides are `more`.
Answer<GemmShape> gemmShapeOf(const Point& point);

/// Why a GPU cannot multiply so ("no fp8 on sm_80"); empty where it can.
std::string gemmRefusal(const GpuFacts& gpu, const GemmShape& shape);

/// The operands of a product, in as many sets as keep the L2 cache from helping, and its results.
class GemmOperands {
public:
    /// At least `leastSets` sets.
    static Answer<GemmOperands> make(const GpuFacts& gpu,
                                     const GemmShape& shape,
                                     std::int64_t leastSets = 1);
    /// Bytes that `make` takes.
    static double bytesFor(const GpuFacts& gpu, const GemmShape& shape, std::int64_t leastSets = 1);

    [[nodiscard]] std::size_t sets() const { return sets_; }
    [[nodiscard]] const void* input(std::size_t call) const;
    [[nodiscard]] const void* weight(std::size_t call) const;
    [[nodiscard]] void* result(std::size_t call) const;

private:
    DeviceMemory inputs_;
    DeviceMemory weights_;
    DeviceMemory results_;
    std::size_t sets_ = 1;
    GemmShape shape_;
};

/// How many of some entries of a result are not what the host makes of the same operands. A result
/// may have been added up from `splits` parts, each rounded to bf16.
Answer<double> wrongEntries(
    const GemmShape& shape, int splits, const void* input, const void* weight, const void* result);

Done checkGemm(const Point& point);
Answer<Measurement> measureGemm(GpuBench& bench, const Point& point);

/// Experts' products: `tokens` rows in all, as evenly as they go; how=streams (the default), loop
/// or grouped.
Done checkGroupedGemm(const Point& point);
Answer<Measurement> measureGroupedGemm(GpuBench& bench, const Point& point);

}  // namespace fabricast::probe
