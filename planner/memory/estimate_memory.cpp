#include "planner/memory/estimate_memory.h"

#include "planner/memory/check_scenario.h"
#include "planner/memory/runtime_overhead.h"
#include "planner/memory/walk_stage.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {

namespace {

/// Bytes that a stage takes from the device, tensors and runtime together.
Bytes deviceBytes(const StageMemory& stage) {
    return stage.allocated + stage.context + stage.collectives;
}

Term termFor(std::string key, Bytes bytes, std::string formula, std::string source) {
    return {std::move(key), bytes, std::move(formula), std::move(source)};
}

void addRuntime(StageMemory& stage, const RuntimeOverhead& overhead) {
    stage.context = overhead.context.value;
    stage.collectives = overhead.collectives.value;
    stage.terms.push_back(termFor("context",
                                  stage.context,
                                  "CUDA context and loaded kernels of one process",
                                  "assumed; 0.4 to 0.8 GiB are seen"));
    stage.terms.push_back(
        termFor("collectives",
                stage.collectives,
                std::to_string(overhead.communicators) + " communicators x NCCL's channel buffers",
                "NCCL 2.28 src/init.cc buffer sizes; channels assumed"));
}

/// lo: the tensors alone must fit. hi: everything the allocator ever held does.
Headline<Bytes> devicePeak(const StageMemory& stage, const RuntimeOverhead& overhead) {
    Headline<Bytes> peak;
    peak.value = deviceBytes(stage);
    peak.lo = stage.requested + overhead.context.lo + overhead.collectives.lo;
    peak.hi = std::max(stage.reserved.hi, stage.allocated) + overhead.context.hi +
              overhead.collectives.hi;
    peak.evidence = Evidence::Modelled;
    return peak;
}

Verdict verdictFor(const Headline<Bytes>& peak, Bytes capacity) {
    if (peak.lo > capacity) {
        return Verdict::DoesNotFit;
    }
    return peak.hi <= capacity ? Verdict::Fits : Verdict::Uncertain;
}

}  // namespace

Result<MemoryBreakdown> estimateMemory(const Scenario& scenario) {
    FABRICAST_TRY(checkScenario(scenario));
    const auto& capacity = scenario.cluster.node.gpu.capacity();
    if (!capacity.value) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "nobody has said how much memory " + scenario.cluster.node.gpu.name + " has");
    }
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    MemoryBreakdown memory;
    memory.capacity = *capacity.value;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(StageMemory walked, walkStage(scenario, {.stage = stage}));
        addRuntime(walked, overhead);
        memory.stages.push_back(std::move(walked));
    }
    const auto fullest = std::max_element(
        memory.stages.begin(), memory.stages.end(), [](const StageMemory& a, const StageMemory& b) {
            return deviceBytes(a) < deviceBytes(b);
        });
    memory.fullest = static_cast<std::size_t>(fullest - memory.stages.begin());
    memory.peak = devicePeak(*fullest, overhead);
    memory.verdict = verdictFor(memory.peak, memory.capacity);
    memory.notes.push_back("the CUDA context and NCCL's buffers are estimates (--why context)");
    return memory;
}

}  // namespace fabricast
