#include "planner/base/quantity_text.h"
#include "planner/memory/check_memory.h"
#include "planner/memory/outer_states.h"
#include "planner/memory/overheads.h"
#include "planner/memory/reference_model.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/verdict_terms.h"
#include "planner/spec/one_site.h"

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

/// "of 8: 24 channels; ring 288 MiB, tree 288 MiB, ..."
std::string formulaOf(const CommunicatorMemory& one) {
    const NcclBuffers& buffers = one.buffers;
    if (buffers.channels == 0) {
        return std::to_string(one.group.ranks) + " ranks, with what was measured of a group";
    }
    std::string text = std::to_string(one.group.ranks) + " ranks";
    if (one.group.nodes > 1) {
        text += " on " + std::to_string(one.group.nodes) + " nodes";
    }
    text += ", " + std::to_string(buffers.channels) + " channels";
    const auto add = [&text](const std::string& what, Bytes bytes) {
        if (bytes != Bytes()) {
            text += (text.ends_with(" channels") ? ": " : " + ") + what + " " + shortText(bytes);
        }
    };
    add("ring", buffers.ring);
    add("tree", buffers.tree);
    add("NVLS of " + std::to_string(buffers.nvlsChannels) + " channels", buffers.nvls);
    add(std::to_string(one.group.peers) + (one.group.peers == 1 ? " peer with " : " peers with ") +
            std::to_string(buffers.pairChannels) + " channels each",
        buffers.pairs);
    add("pool of point-to-point", buffers.shared);
    add("other, as seen", one.bytes - buffers.total());
    return text;
}

void addCommunicators(StageMemory& stage, const RuntimeOverhead& overhead) {
    const std::size_t count = overhead.communicators.size();
    stage.terms.push_back(
        termFor("collectives",
                stage.collectives,
                std::to_string(count) + (count == 1 ? " communicator" : " communicators") + " of " +
                    std::string(overhead.names.collectives) + ", for each its buffers",
                overhead.collectivesOrigin));
    for (const CommunicatorMemory& one : overhead.communicators) {
        stage.terms.push_back(termFor("collectives." + std::string(one.group.name),
                                      one.bytes,
                                      formulaOf(one),
                                      overhead.collectivesOrigin));
    }
}

void addRuntime(StageMemory& stage, const RuntimeOverhead& overhead) {
    stage.context = overhead.context.value;
    stage.collectives = overhead.collectives.value;
    stage.terms.push_back(
        termFor("context",
                stage.context,
                std::string(overhead.names.runtime) + " context and loaded kernels of one process",
                overhead.contextOrigin));
    addCommunicators(stage, overhead);
}

/// The replay frees at once, and finds little that cannot be given back; runs hold as much as they
/// usually do. Pages are given back one by one.
Bytes usuallyHeld(const StageMemory& stage, Bytes capacity, bool usual) {
    return usual ? usuallyPinned(stage.allocated, capacity) : stage.allocated;
}

/// lo: the tensors alone must fit. hi: everything the allocator ever held does, or, where there is
/// not as much, all that there is, and more only if it cannot be given back.
void addPeak(const StageMemory& stage,
             const RuntimeOverhead& overhead,
             bool usual,
             MemoryBreakdown& memory) {
    const Bytes most = overhead.context.hi + overhead.collectives.hi;
    Headline<Bytes>& peak = memory.peak;
    peak.value = deviceBytes(stage);
    peak.lo = stage.requested + overhead.context.lo + overhead.collectives.lo;
    memory.unpressed = std::max(stage.reserved.hi, stage.allocated) + most;
    const Bytes held = usuallyHeld(stage, memory.capacity, usual);
    memory.pinned = std::max(stage.pinned, held) + stage.context + stage.collectives;
    const Bytes pressed = std::max(stage.pinned, mostPinned(stage.allocated, memory.capacity));
    peak.hi = std::min(memory.unpressed, std::max(memory.capacity, pressed + most));
    peak.evidence = Evidence::Modelled;
    memory.limits = verdictTerms(memory, overhead, held);
}

/// A share that is left to the allocator takes the place of what it may hold back, but what it
/// usually cannot give back has to be there.
Verdict verdictFor(const MemoryBreakdown& memory, bool isReserved) {
    const Headline<Bytes>& peak = memory.peak;
    if (isReserved) {
        return peak.value <= memory.room() && memory.pinned <= memory.capacity
                   ? Verdict::Fits
                   : Verdict::DoesNotFit;
    }
    if (peak.lo > memory.room()) {
        return Verdict::DoesNotFit;
    }
    if (memory.unpressed <= memory.room()) {
        return Verdict::Fits;
    }
    return memory.pinned <= memory.room() ? Verdict::Likely : Verdict::Unlikely;
}

/// Where an allocator with room would take more than is left to it.
std::string smallReserve(const MemoryBreakdown& memory) {
    const bool isSmall = memory.reserve > 0.0 && memory.onDevice == Verdict::Fits &&
                         memory.unpressed > memory.capacity;
    return isSmall ? "the " + shortText(memory.capacity - memory.room()) +
                         " that are left to the allocator are less than the " +
                         shortText(memory.unpressed - memory.peak.value) +
                         " that it may take: it then gives back what it can and asks again, which "
                         "takes time (--why worst)"
                   : "";
}

/// By the stage that keeps most on the host: which ranks share a node is not looked at.
HostNeed hostNeed(const std::vector<StageMemory>& stages, const NodeSpec& node) {
    Bytes most;
    for (const StageMemory& stage : stages) {
        most = std::max(most, stage.host);
    }
    return {.perNode = most * node.gpus, .there = node.hostMemory.value};
}

/// The same of what the ranks of a node keep in files.
HostNeed driveNeed(const std::vector<StageMemory>& stages, const NodeSpec& node) {
    HostNeed need = MemoryBreakdown().drives;
    for (const StageMemory& stage : stages) {
        need.perNode = std::max(need.perNode, stage.nvme * node.gpus);
    }
    need.there = node.nvme.value;
    return need;
}

/// What one rank keeps in its node: "host", "nvme".
void addNodeTerm(
    StageMemory& stage, std::string key, Bytes size, const HostNeed& need, std::int64_t gpus) {
    if (size > Bytes()) {
        const std::string where = key == "host" ? "the host" : "the drives";
        stage.terms.push_back(termFor(std::move(key),
                                      size,
                                      "states of one rank on " + where + "; " +
                                          std::to_string(gpus) + " ranks of a node need " +
                                          shortText(need.perNode) +
                                          (need.there ? " of " + shortText(*need.there)
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
    if (std::string note = referenceNote(scenario); !note.empty()) {
        notes.push_back(std::move(note));
    }
    if (std::string note = outerNote(scenario); !note.empty()) {
        notes.push_back(std::move(note));
    }
    if (settings.kernels.compile) {
        notes.emplace_back("memory with torch.compile is counted as in eager mode, an upper bound");
    }
    if (settings.kernels.fp8Attention || settings.kernels.fusedExperts ||
        settings.kernels.fusedOps) {
        notes.emplace_back(
            "what fp8 attention, fused experts and fused operations save for backward is counted "
            "as "
            "without them");
    }
    const Quantization quantization = settings.kernels.quantization;
    if (code == ModelCode::TransformerEngine) {
        if (quantization != Quantization::None && settings.engine != Engine::Megatron) {
            notes.emplace_back("Transformer Engine's copies of weights in " +
                               std::string(nameOf(quantization)) + " are not counted");
        }
    } else if (quantization == Quantization::Fp8Blockwise || quantization == Quantization::NvFp4) {
        notes.emplace_back(
            "saved inputs of matrix products are counted in 16 bits, as before quantisation");
    }
}

Result<Bytes> capacityOf(const Scenario& scenario) {
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    if (!gpu.capacity().value) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the memory size of " + gpu.name + " is not known");
    }
    return *gpu.capacity().value;
}

}  // namespace

Bytes roomForTensors(const Scenario& scenario, Bytes most) {
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    return most == kNoLimit ? most : most - overhead.context.lo - overhead.collectives.lo;
}

Result<MemoryBreakdown> memoryOf(const Scenario& scenario, StageWalks walks) {
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    MemoryBreakdown memory;
    FABRICAST_ASSIGN(memory.capacity, capacityOf(scenario));
    memory.reserve = scenario.cluster.reserve.value_or(0.0);
    memory.stages = std::move(walks.stages);
    memory.fullest = walks.fullest;
    for (StageMemory& stage : memory.stages) {
        addRuntime(stage, overhead);
    }
    const bool inSegments = scenario.settings.allocator != AllocatorKind::ExpandableSegments;
    addPeak(memory.stages[memory.fullest], overhead, inSegments, memory);
    const Bytes room = memory.capacity - overhead.context.lo - overhead.collectives.lo;
    for (StageMemory& stage : memory.stages) {
        stage.reserved =
            reservedWithin(stage.reserved, std::max(stage.pinned, stage.allocated), room);
    }
    const bool isReserved = scenario.cluster.reserve.has_value();
    memory.onDevice = verdictFor(memory, isReserved);
    memory.host = hostNeed(memory.stages, scenario.cluster.node);
    memory.drives = driveNeed(memory.stages, scenario.cluster.node);
    memory.verdict = std::max(memory.onDevice, memory.ofNode().verdict());
    for (StageMemory& stage : memory.stages) {
        const std::int64_t gpus = scenario.cluster.node.gpus;
        addNodeTerm(stage, "host", stage.host, memory.host, gpus);
        addNodeTerm(stage, "nvme", stage.nvme, memory.drives, gpus);
    }
    addNotes(scenario, memory.notes);
    if (std::string small = smallReserve(memory); !small.empty()) {
        memory.notes.push_back(std::move(small));
    }
    if (std::string luck = isReserved ? "" : luckNote(memory, overhead); !luck.empty()) {
        memory.notes.push_back(std::move(luck));
    }
    if (std::string assumed = overhead.assumption(); !assumed.empty()) {
        memory.notes.push_back(std::move(assumed));
    }
    return memory;
}

Result<MemoryBreakdown> memoryOfAllStages(const Scenario& scenario, const Watch& watch) {
    FABRICAST_TRY(capacityOf(scenario));
    FABRICAST_ASSIGN(StageWalks walks, walkAllStages(scenario, watch));
    return memoryOf(scenario, std::move(walks));
}

Result<MemoryBreakdown> memoryOfFullestStage(const Scenario& scenario,
                                             Bytes most,
                                             const Watch& watch) {
    FABRICAST_TRY(capacityOf(scenario));
    FABRICAST_ASSIGN(StageWalks walks,
                     walkFullestStage(scenario, roomForTensors(scenario, most), watch));
    return memoryOf(scenario, std::move(walks));
}

Result<Bytes> peakOfFullestStage(const Scenario& scenario, Bytes enough, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    const Bytes runtime = overhead.context.value + overhead.collectives.value;
    const OneSite site(scenario);
    FABRICAST_ASSIGN(const Bytes tensors,
                     fullestAllocation(site.scenario(), enough - runtime, watch));
    return tensors + runtime;
}

}  // namespace fabricast
