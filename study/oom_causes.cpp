#include "study/oom_causes.h"

#include "planner/base/quantity_text.h"
#include "planner/spec/runtime_names.h"

#include <fmt/format.h>

namespace fabricast {
namespace {

constexpr double kOneGibi = 1024.0 * 1024.0 * 1024.0;
/// Of the GPU's memory: what is less than this is not a cause.
constexpr double kNotable = 0.02;

double share(Bytes part, const MemoryMessage& message) {
    return message.capacity && *message.capacity > Bytes() ? part / *message.capacity : 0.0;
}

void addOtherProcesses(const MemoryMessage& message, std::vector<OomCause>& causes) {
    const std::optional<Bytes> others = notableOthers(message);
    if (others) {
        causes.push_back({"other processes hold " + shortText(*others) + " of this GPU",
                          std::string(processListOf(message.runtime)) +
                              " shows them; each rank should set its own device before it "
                              "allocates (torch.cuda.set_device)"});
    }
}

/// What helps against pieces, with the options that the run's PyTorch has.
std::string wayOutOfPieces(const MemoryMessage& message) {
    if (message.runtime == MemoryMessage::Runtime::Xpu) {
        return "torch.xpu.empty_cache() where the sizes change";
    }
    const std::string segments = std::string(message.options) + "=expandable_segments:True";
    switch (message.remedy) {
        case MemoryMessage::Remedy::Segments:
            return segments;
        case MemoryMessage::Remedy::SplitSize:
            return std::string(message.options) +
                   "=max_split_size_mb:128 (this PyTorch is older than 2.1, which has "
                   "expandable_segments:True)";
        case MemoryMessage::Remedy::None:
            break;
    }
    return "a PyTorch from 2.1 on, with " + segments + ": this one has no option for it";
}

/// The same, where the scenario may have that already.
std::string wayOutOfPiecesOf(const MemoryMessage& message, const Scenario* scenario) {
    const bool hasSegments =
        scenario != nullptr && scenario->settings.allocator == AllocatorKind::ExpandableSegments;
    if (!hasSegments) {
        return wayOutOfPieces(message);
    }
    const std::int64_t uncut = scenario->settings.maxSplitMb;
    if (uncut > 0) {
        return std::string(message.options) + "=expandable_segments:True alone: beside it " +
               "max_split_size_mb:" + std::to_string(uncut) + " leaves larger free blocks unused";
    }
    return message.remedy == MemoryMessage::Remedy::Segments
               ? "nothing of the allocator's: the scenario has expandable_segments:True already, "
                 "of which so much is not expected (was it set in the run?)"
               : wayOutOfPieces(message) +
                     "; the expandable_segments:True of the scenario is nothing to it";
}

/// What was missing of all that the allocator held in no tensor; all that failed, where even that
/// was there.
std::optional<Bytes> missingInPieces(const MemoryMessage& message) {
    if (!message.unallocated || !message.tried || message.hadRoom()) {
        return std::nullopt;
    }
    const bool isWhole = *message.unallocated >= *message.tried;
    const std::optional<Bytes> missing = isWhole ? message.tried : message.missing();
    return missing && *message.unallocated >= *missing ? missing : std::nullopt;
}

/// A run that failed on its way to more than the GPU has: without pieces it fails a little later.
std::string stepBeyond(const MemoryBreakdown* forecast) {
    return forecast != nullptr && forecast->onDevice == Verdict::DoesNotFit
               ? ", for what failed here alone: by the forecast the step goes on to " +
                     shortText(forecast->peak.value)
               : std::string();
}

void addFragments(const MemoryMessage& message,
                  const Scenario* scenario,
                  const MemoryBreakdown* forecast,
                  std::vector<OomCause>& causes) {
    if (const std::optional<Bytes> missing = missingInPieces(message)) {
        causes.push_back({"fragmentation: PyTorch held " + shortText(*message.unallocated) +
                              " in no tensor, more than the " + shortText(*missing) +
                              (missing == message.tried ? " that failed" : " that were missing"),
                          wayOutOfPiecesOf(message, scenario) + stepBeyond(forecast)});
    }
}

/// Nothing failed yet, but what the allocator holds beside tensors is in pieces.
void addSlack(const MemoryMessage& message, std::vector<OomCause>& causes) {
    constexpr double kNotableSlack = 0.05;
    if (!message.snapshot || !message.unallocated || !message.allocated) {
        return;
    }
    const Bytes slack = *message.unallocated;
    if (slack / (*message.allocated + slack) > kNotableSlack &&
        message.snapshot->largestFree * 2 < slack) {
        causes.push_back({"fragmentation: " + shortText(slack) +
                              " were in no tensor when it was taken, in pieces of " +
                              shortText(message.snapshot->largestFree) + " at the most",
                          message.snapshot->isExpandable
                              ? "torch.cuda.empty_cache() where sizes change: segments grow already"
                              : wayOutOfPieces(message)});
    }
}

/// What is forecast beside PyTorch's allocator, on the fullest GPU.
Bytes besideOf(const MemoryBreakdown& forecast) {
    const StageMemory& stage = forecast.stages[forecast.fullest];
    return stage.context + stage.collectives;
}

/// The buffers of NCCL, or on AMD's cards RCCL, are most of what several GPUs hold beside PyTorch;
/// one alone has none.
void addNotPyTorch(const MemoryMessage& message,
                   const Scenario* scenario,
                   const MemoryBreakdown* forecast,
                   std::vector<OomCause>& causes) {
    const bool alone = scenario != nullptr && scenario->layout.world() == 1;
    const bool isAmd = message.runtime == MemoryMessage::Runtime::Hip ||
                       (scenario != nullptr && scenario->cluster.node.gpu.vendor == "AMD");
    const bool mayHaveNvls = !isAmd && (scenario == nullptr || scenario->settings.nccl.nvls);
    const RuntimeNames names = runtimeNames(isAmd ? "AMD" : "NVIDIA");
    const std::string library(names.collectives);
    const std::optional<Bytes> beside = message.notPyTorch();
    if (!beside || static_cast<double>(beside->count()) < kOneGibi ||
        share(*beside, message) <= kNotable ||
        (forecast != nullptr && *beside <= besideOf(*forecast))) {
        return;
    }
    causes.push_back(
        {shortText(*beside) + (message.inUse ? " of this process is" : " is") + " not PyTorch's: " +
             std::string(names.runtime) + " context, " + (alone ? "" : library + "'s buffers, ") +
             "libraries" + (message.inUse ? "" : ", and other processes"),
         alone ? "fewer libraries that load their own kernels; the context itself stays"
               : std::string("fewer communicators, ") +
                     (mayHaveNvls ? "NCCL_NVLS_ENABLE=0 within NVLink, " : "") +
                     "NCCL_BUFFSIZE or NCCL_MAX_NCHANNELS smaller; the context itself stays"});
}

/// Nothing failed when the GPU was full: steps took many times as long before.
void addSpilled(const MemoryMessage& message, std::vector<OomCause>& causes) {
    if (const std::optional<Bytes> spilled = message.spilled()) {
        causes.push_back(
            {"spilled: PyTorch held " + shortText(message.held()) + ", " + shortText(*spilled) +
                 " more than the GPU has: the driver of Windows, WSL's too, keeps the rest in the "
                 "host's memory",
             "a run that fits the GPU: what is spilled crosses PCIe in every step; \"CUDA - Sysmem "
             "Fallback Policy\" of NVIDIA's control panel turns it off, and the message comes as "
             "soon as the GPU is full"});
    }
}

void addPools(const MemoryMessage& message, std::vector<OomCause>& causes) {
    if (message.privatePools && share(*message.privatePools, message) > kNotable) {
        causes.push_back(
            {shortText(*message.privatePools) + " is in the private pools of CUDA graphs",
             "capture fewer modules or sizes, or none"});
    }
}

/// What PyTorch was allowed to take ran out, or nothing did that the message counts.
void addLimit(const MemoryMessage& message, std::vector<OomCause>& causes) {
    if (message.isLimited()) {
        const bool isMps = message.runtime == MemoryMessage::Runtime::Mps;
        causes.push_back(
            {"a limit: PyTorch may take " + shortText(*message.allowed) + " and held " +
                 shortText(message.reserved().value_or(*message.allocated)) +
                 (message.beside ? ", beside " + shortText(*message.beside) + " of others" : ""),
             isMps ? "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 lifts it; the rest is other programs'"
                   : "a larger share (torch.cuda.set_per_process_memory_fraction), where no other "
                     "process needs the rest"});
    } else if (message.hadRoom()) {
        causes.push_back({shortText(*message.free) + " were free, more than the " +
                              shortText(*message.tried) + " that failed",
                          "not for want of memory: a limit on the process, another process that "
                          "took it for a moment, or a GPU shared through WSL or a container"});
    }
}

/// "13", "1.4".
std::string timesText(double times) {
    return fmt::format("{:.{}f}", times, times < 10.0 ? 1 : 0);
}

/// One tensor that is larger than the GPU.
OomCause beyondGpu(const MemoryMessage& message, const Scenario* scenario) {
    const std::string ofScenario =
        scenario == nullptr ? "" : "; of the scenario " + tensorOfSize(*message.tried, *scenario);
    return {fmt::format("this one allocation of {} is {} times the GPU: no layout has room for "
                        "it, so a shape is wrong",
                        shortText(*message.tried),
                        timesText(*message.tried / *message.capacity)),
            "the shapes of the call that failed: scores or a mask of sequence x sequence "
            "(attention that is not fused), logits of more than a microbatch, a batch that was "
            "not divided" +
                ofScenario};
}

/// The GPU was full before the run ended: what was free was given back, and asked for anew.
void addRetries(const MemoryMessage& message, std::vector<OomCause>& causes) {
    if (!message.summary || message.summary->retries + message.summary->failures < 1.0) {
        return;
    }
    causes.push_back(
        {fmt::format("the GPU was full: allocations that failed: {:.0f}; times that all that was "
                     "free had to be given back first, in slow steps: {:.0f}",
                     message.summary->failures,
                     message.summary->retries),
         message.summary->inPieces
             ? wayOutOfPieces(message) + ", against the " + shortText(*message.summary->inPieces) +
                   " that lay free in pieces; or a smaller microbatch"
             : "a smaller microbatch, or more recomputation"});
}

}  // namespace

bool isInPieces(const MemoryMessage& message) {
    return missingInPieces(message).has_value();
}

std::optional<Bytes> notableOthers(const MemoryMessage& message) {
    const std::optional<Bytes> others = message.otherProcesses();
    return others && share(*others, message) > kNotable ? others : std::nullopt;
}

std::vector<OomCause> causesOf(const MemoryMessage& message,
                               const Scenario* scenario,
                               const MemoryBreakdown* forecast) {
    std::vector<OomCause> causes;
    if (!message.isFailure()) {
        addSlack(message, causes);
        addRetries(message, causes);
        return causes;
    }
    if (!message.hasSizes()) {
        return causesElsewhere(message, forecast);
    }
    if (message.isBeyondGpu()) {
        return {beyondGpu(message, scenario)};
    }
    addLimit(message, causes);
    addSpilled(message, causes);
    addOtherProcesses(message, causes);
    addFragments(message, scenario, forecast, causes);
    addPools(message, causes);
    addNotPyTorch(message, scenario, forecast, causes);
    return causes;
}

}  // namespace fabricast
