#include "planner/memory/memory_of_stages.h"

#include "planner/base/quantity_text.h"
#include "planner/memory/check_scenario.h"
#include "planner/memory/fullest_stage.h"
#include "planner/memory/runtime_overhead.h"
#include "planner/memory/walk_stage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
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
                                  overhead.contextOrigin));
    stage.terms.push_back(
        termFor("collectives",
                stage.collectives,
                std::to_string(overhead.communicators) + " communicators x NCCL's channel buffers",
                overhead.collectivesOrigin));
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

/// Which stages are walked, whether each says what its peak is made of, and what tensors may take:
/// where one takes more, no other is looked at.
struct Walks {
    std::vector<std::int64_t> stages;
    bool inParts = false;
    Bytes most = kNoLimit;
};

/// The allocator is replayed for the stage that decides; the others are taken to hold as much more
/// than they allocate as it does.
void addReserved(StageMemory replayed, MemoryBreakdown& memory) {
    const auto scaled = [&](Bytes reserved, const StageMemory& stage) {
        const double ratio = reserved / replayed.allocated;
        return Bytes(std::llround(static_cast<double>(stage.allocated.count()) * ratio));
    };
    for (StageMemory& stage : memory.stages) {
        if (stage.stage != replayed.stage) {
            stage.reserved = {scaled(replayed.reserved.value, stage),
                              scaled(replayed.reserved.lo, stage),
                              scaled(replayed.reserved.hi, stage),
                              Evidence::Extrapolated};
        }
    }
    memory.stages[memory.fullest] = std::move(replayed);
}

/// Walks the stages, and replays the allocator on the fullest, unless that takes too much anyway.
Result<void> walkStages(const Scenario& scenario,
                        const Walks& walks,
                        const Watch& watch,
                        MemoryBreakdown& memory) {
    std::optional<WalkedStage> fullest;
    for (const std::int64_t stage : walks.stages) {
        FABRICAST_ASSIGN(WalkedStage walked, WalkedStage::of(scenario, {.stage = stage}, watch));
        memory.stages.push_back(walks.inParts ? walked.inParts() : walked.peak());
        if (!fullest || walked.peak().allocated > fullest->peak().allocated) {
            fullest = std::move(walked);
            memory.fullest = memory.stages.size() - 1;
        }
        if (memory.stages.back().requested > walks.most) {
            break;
        }
    }
    if (fullest->peak().requested <= walks.most) {
        FABRICAST_ASSIGN(StageMemory replayed, fullest->replayed(watch));
        addReserved(std::move(replayed), memory);
    }
    return {};
}

/// A share that is left free takes the place of what the allocator may hold back.
Verdict verdictFor(const MemoryBreakdown& memory, bool isReserved) {
    const Headline<Bytes>& peak = memory.peak;
    if (isReserved) {
        return peak.value <= memory.room() ? Verdict::Fits : Verdict::DoesNotFit;
    }
    if (peak.lo > memory.room()) {
        return Verdict::DoesNotFit;
    }
    if (peak.hi <= memory.room()) {
        return Verdict::Fits;
    }
    return peak.value <= memory.room() ? Verdict::Likely : Verdict::Unlikely;
}

/// By the stage that keeps most on the host: which ranks share a node is not looked at.
HostNeed hostNeed(const std::vector<StageMemory>& stages, const NodeSpec& node) {
    Bytes most;
    for (const StageMemory& stage : stages) {
        most = std::max(most, stage.host);
    }
    return {.perNode = most * node.gpus, .there = node.hostMemory.value};
}

void addHostTerm(StageMemory& stage, const HostNeed& host, std::int64_t gpus) {
    if (stage.host > Bytes()) {
        stage.terms.push_back(termFor("host",
                                      stage.host,
                                      "states of one rank on the host; " + std::to_string(gpus) +
                                          " ranks of a node need " + shortText(host.perNode) +
                                          (host.there ? " of " + shortText(*host.there)
                                                      : ", and what a node has is not known"),
                                      "one step of this rank, walked operation by operation"));
    }
}

/// What the walk leaves out of what the scenario asks for.
void addNotes(const Scenario& scenario, std::vector<std::string>& notes) {
    const Settings& settings = scenario.settings;
    const ModelCode code = settings.kernels.code;
    if (scenario.model.mtpDepth > 0 && code != ModelCode::Megatron &&
        code != ModelCode::TransformerEngine) {
        notes.emplace_back("the model's multi-token prediction layers are not trained");
    }
    if (settings.kernels.compile) {
        notes.emplace_back(
            "torch.compile's fusions are not modelled: these are the eager bytes, an upper bound");
    }
    if (settings.kernels.fp8Attention || settings.kernels.fusedExperts) {
        notes.emplace_back(
            "what attention in fp8 and experts in one kernel keep is counted as "
            "without them");
    }
    const Quantization quantization = settings.kernels.quantization;
    if (quantization == Quantization::Fp8Blockwise || quantization == Quantization::NvFp4) {
        notes.emplace_back("GEMM inputs are counted in their 16-bit type before quantisation");
    }
}

Result<MemoryBreakdown> judge(const Scenario& scenario, Walks walks, const Watch& watch) {
    const auto& capacity = scenario.cluster.node.gpu.capacity();
    if (!capacity.value) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the memory size of " + scenario.cluster.node.gpu.name + " is not known");
    }
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    if (walks.most != kNoLimit) {
        walks.most = walks.most - overhead.context.lo - overhead.collectives.lo;
    }
    MemoryBreakdown memory;
    memory.capacity = *capacity.value;
    memory.reserve = scenario.cluster.reserve.value_or(0.0);
    FABRICAST_TRY(walkStages(scenario, walks, watch, memory));
    for (StageMemory& stage : memory.stages) {
        addRuntime(stage, overhead);
    }
    memory.peak = devicePeak(memory.stages[memory.fullest], overhead);
    memory.onDevice = verdictFor(memory, scenario.cluster.reserve.has_value());
    memory.host = hostNeed(memory.stages, scenario.cluster.node);
    memory.verdict = std::max(memory.onDevice, memory.host.verdict());
    for (StageMemory& stage : memory.stages) {
        addHostTerm(stage, memory.host, scenario.cluster.node.gpus);
    }
    addNotes(scenario, memory.notes);
    if (overhead.isAssumed()) {
        memory.notes.push_back("the CUDA context and NCCL's buffers are estimates (--why context)");
    }
    return memory;
}

}  // namespace

Result<MemoryBreakdown> memoryOfAllStages(const Scenario& scenario, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    std::vector<std::int64_t> stages(static_cast<std::size_t>(scenario.layout.pp));
    std::iota(stages.begin(), stages.end(), 0);
    return judge(scenario, {.stages = std::move(stages), .inParts = true}, watch);
}

Result<MemoryBreakdown> memoryOfFullestStage(const Scenario& scenario,
                                             Bytes most,
                                             const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    FABRICAST_ASSIGN(std::vector<std::int64_t> stages, stagesThatDecide(scenario));
    return judge(scenario, {.stages = std::move(stages), .most = most}, watch);
}

Result<Bytes> peakOfFullestStage(const Scenario& scenario, Bytes enough, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    const Bytes runtime = overhead.context.value + overhead.collectives.value;
    FABRICAST_ASSIGN(const Bytes tensors, fullestAllocation(scenario, enough - runtime, watch));
    return tensors + runtime;
}

}  // namespace fabricast
