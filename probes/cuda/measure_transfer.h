#pragma once
#include "probes/cuda/gpu_bench.h"

namespace fabricast::probe {

/// Copies between pinned host memory and the GPU, or between two GPUs:
///     transfer kind=h2d|d2h|both|p2p bytes=256M
/// "both" copies so many bytes each way at once, on two streams.
Done checkTransfer(const Point& point);
Answer<Measurement> measureTransfer(GpuBench& bench, const Point& point);

/// What it costs to launch a kernel that does nothing:
///     launch kind=stream    a kernel in a long row of them, on the GPU
///     launch kind=graph     the same as part of a graph
///     launch kind=latency   one alone, from the call to its end as the host sees it
Done checkLaunch(const Point& point);
Answer<Measurement> measureLaunch(GpuBench& bench, const Point& point);

/// GPU memory that a library takes before any tensor is there:
///     footprint of=context|cublaslt|cudnn
Done checkFootprint(const Point& point);
Answer<Measurement> measureFootprint(GpuBench& bench, const Point& point);

}  // namespace fabricast::probe
