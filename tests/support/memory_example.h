#pragma once
#include "planner/base/units.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// A made-up question, to show how answers are written.
inline Scenario exampleScenario() {
    Scenario scenario;
    scenario.stack = "megatron";
    scenario.model.name = "toy-70b";
    scenario.cluster.name = "dgx-h100";
    scenario.cluster.nodes = 4;
    scenario.cluster.node.gpus = 8;
    scenario.cluster.node.gpu.name = "h100-sxm5-80gb";
    scenario.workload = {.sequence = 8192, .globalBatch = 64};
    scenario.layout = {.tp = 8, .sp = true, .pp = 4};
    scenario.settings.recompute.kind = Checkpointing::Selective;
    return scenario;
}

inline StageMemory exampleStage(std::int64_t stage, Bytes activations) {
    using namespace literals;  // NOLINT(google-build-using-namespace)
    StageMemory memory;
    memory.stage = stage;
    memory.inFlight = 4 - stage;
    memory.localParameters = 2'200'000'000;
    const auto set = [&memory](MemoryKind kind, Bytes bytes) {
        memory.atPeak.bytes[static_cast<std::size_t>(kind)] = bytes;
    };
    set(MemoryKind::Weights, 4_GiB);
    set(MemoryKind::Gradients, 8_GiB);
    set(MemoryKind::Optimizer, 24_GiB);
    set(MemoryKind::Activations, activations);
    memory.peakAt = "forward of layer 19";
    memory.requested = memory.atPeak.total();
    memory.allocated = memory.requested + 1_MiB;
    memory.reserved = {memory.allocated + 2_GiB, memory.allocated, memory.allocated + 4_GiB};
    memory.context = 512_MiB;
    memory.collectives = 1_GiB;
    memory.terms = {{"stages[" + std::to_string(stage) + "].activations",
                     activations,
                     "20 layers x 4 microbatches x 168,072 B x 1,024 tokens",
                     "saved tensors of the recorded frameworks"}};
    return memory;
}

/// Four stages, the first with the highest peak and over the limit; the last two are equal.
inline MemoryBreakdown exampleMemory() {
    using namespace literals;  // NOLINT(google-build-using-namespace)
    MemoryBreakdown memory;
    memory.stages = {exampleStage(0, 48_GiB),
                     exampleStage(1, 30_GiB),
                     exampleStage(2, 20_GiB),
                     exampleStage(3, 20_GiB)};
    memory.stages[3].inFlight = memory.stages[2].inFlight;
    const Bytes peak = memory.stages[0].allocated + 1_GiB + 512_MiB;
    memory.peak = {peak, peak - 2_GiB, peak + 4_GiB, Evidence::Modelled};
    memory.limits = {{"stages[0].interval.low", memory.peak.lo, "tensors", "a test"},
                     {"stages[0].interval.high", memory.peak.hi, "all", "a test"},
                     {"stages[0].worst", memory.peak.hi, "all", "a test"},
                     {"stages[0].pinned", memory.peak.value, "what is kept", "a test"}};
    memory.capacity = 79_GiB;
    memory.onDevice = Verdict::DoesNotFit;
    memory.verdict = Verdict::DoesNotFit;
    memory.rejections = {{Bound::GpuMemory,
                          peak - memory.capacity,
                          "stage 0, forward of layer 19",
                          {{.change = "recompute=full",
                            .peakAfter = 45_GiB,
                            .verdict = Verdict::Fits,
                            .onDevice = Verdict::Fits,
                            .sideEffect = "about a third more compute",
                            .typed = "--layout recompute=full",
                            .behind = "--layout recompute=full"},
                           {.change = "micro_batch=1",
                            .peakAfter = 82_GiB,
                            .typed = "--layout micro_batch=1",
                            .behind = "--layout micro_batch=1"}}}};
    memory.notes = {"the global batch was not said: one microbatch per stage"};
    return memory;
}

}  // namespace fabricast
