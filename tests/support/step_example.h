#pragma once
#include "planner/result/step_estimate.h"

namespace fabricast {

/// A made-up answer for exampleScenario(), to show how times are written.
inline StepEstimate exampleStep() {
    StepEstimate step;
    StepTerms& terms = step.terms;
    terms.microBatches = 64;
    terms.forward.of(TimePart::Gemm) = 0.020;
    terms.backward.of(TimePart::Gemm) = 0.040;
    terms.forward.of(TimePart::Tensor) = 0.005;
    terms.backward.of(TimePart::Tensor) = 0.010;
    terms.span = 5.3;
    terms.tail = 0.1;
    terms.hostStep = Seconds(0.02);
    step.parts = (terms.forward + terms.backward) * 64;
    step.parts.of(TimePart::Bubble) = 0.45;
    step.parts.of(TimePart::Stage) = 0.05;
    step.parts.of(TimePart::Shard) = 0.1;
    step.parts.of(TimePart::Host) = 0.02;
    const double all = step.parts.total();
    step.step = {Seconds(all), Seconds(all / 1.2), Seconds(all * 1.25), Evidence::Modelled};
    step.tokensPerSecond = 64 * 8192 / all;
    step.tokensPerGpuSecond = step.tokensPerSecond / 32;
    step.utilisation = {.mfu = 0.42,
                        .why = "",
                        .perToken = Flops(430e9),
                        .peak = FlopsPerSecond(989e12),
                        .peakType = "bf16"};
    step.comm = {{.stage = 0,
                  .axis = "tp",
                  .collective = "all_gather",
                  .use = "activations",
                  .part = TimePart::Tensor,
                  .betweenNodes = false,
                  .groupSize = 8,
                  .bytes = Bytes(128 << 20),
                  .count = 5120,
                  .seconds = 1.2,
                  .exposed = 0.96},
                 {.stage = 0,
                  .axis = "dp-cp",
                  .collective = "reduce_scatter",
                  .use = "gradients",
                  .part = TimePart::Shard,
                  .betweenNodes = true,
                  .groupSize = 2,
                  .bytes = Bytes(160'000'000),
                  .count = 27,
                  .seconds = 0.4,
                  .exposed = 0.1}};
    step.notes = {"global batch 64: dp x micro_batch x pp"};
    return step;
}

}  // namespace fabricast
