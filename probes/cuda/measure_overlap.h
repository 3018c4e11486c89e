#pragma once
#include "probes/cuda/gpu_bench.h"

namespace fabricast::probe {

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

}  // namespace fabricast::probe
