#pragma once
#include "probes/cuda/gpu_bench.h"

#include <span>

namespace fabricast::probe {

/// One kind of point: its name, whether a point's settings are sound, and how it is measured.
struct CudaKind {
    const char* what;
    Done (*check)(const Point& point);
    Answer<Measurement> (*measure)(GpuBench& bench, const Point& point);
};

std::span<const CudaKind> cudaKinds();

/// Trouble where there is no such kind.
Answer<const CudaKind*> cudaKindOf(const Point& point);

}  // namespace fabricast::probe
