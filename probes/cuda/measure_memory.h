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

}  // namespace fabricast::probe
