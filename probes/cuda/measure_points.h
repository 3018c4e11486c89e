#pragma once
#include "probes/cuda/gpu_bench.h"

namespace fabricast::probe {

/// Operations that only move numbers through the chip, all in bf16:
///     memory op=copy bytes=1G
///     memory op=norm|swiglu|add|cast|permute|cross_entropy rows=8192 width=4096
///     memory op=rope rows=8192 width=4096 dim=128
Done checkMemory(const Point& point);
Answer<Measurement> measureMemory(GpuBench& bench, const Point& point);

/// One AdamW step over fp32 weights, mean and square, bf16 gradients and rounded weights:
///     adam parameters=256M form=flat|list
Done checkAdam(const Point& point);
Answer<Measurement> measureAdam(GpuBench& bench, const Point& point);

/// A product while a copy runs on some of the multiprocessors, as a collective would:
///     overlap dtype=bf16 m=8192 n=8192 k=8192 layout=tn ctas=16
/// The samples are the product's; facts say its time alone, and what the copy moved.
Done checkOverlap(const Point& point);
Answer<Measurement> measureOverlap(GpuBench& bench, const Point& point);

/// A product again and again for so many seconds: rate, clock and power once the chip is warm.
///     sustained dtype=bf16 m=8192 n=8192 k=8192 layout=tn seconds=10
Done checkSustained(const Point& point);
Answer<Measurement> measureSustained(GpuBench& bench, const Point& point);

/// The simplest loop that one would write: no held stream, no turns, no clock. To compare with.
///     plain of=gemm m=8192 n=8192 k=8192 dtype=bf16 layout=tn
///     plain of=copy bytes=1G
Done checkPlain(const Point& point);
Answer<Measurement> measurePlain(GpuBench& bench, const Point& point);

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
