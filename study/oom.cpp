#include "study/oom.h"

#include "planner/base/quantity_text.h"
#include "planner/base/words.h"
#include "planner/launch/opened_file.h"
#include "planner/load/load_question.h"
#include "planner/measured/parse_memory_message.h"
#include "planner/measured/parse_memory_snapshot.h"
#include "planner/memory/stage_memory.h"
#include "study/fixes.h"
#include "study/oom_guesses.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
/// Of the GPU's memory: what is less than this is not a cause.
constexpr double kNotable = 0.02;

double share(Bytes part, const MemoryMessage& message) {
    return message.capacity && *message.capacity > Bytes() ? part / *message.capacity : 0.0;
}

/// A display's or a monitor's few megabytes are rounding.
std::optional<Bytes> notableOthers(const MemoryMessage& message) {
    const std::optional<Bytes> others = message.otherProcesses();
    return others && share(*others, message) > kNotable ? others : std::nullopt;
}

void addOtherProcesses(const MemoryMessage& message, std::vector<OomCause>& causes) {
    const std::optional<Bytes> others = notableOthers(message);
    if (others) {
        causes.push_back({"other processes hold " + shortText(*others) + " of this GPU",
                          "nvidia-smi shows them; each rank should set its own device before it "
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

/// The allocator had as much as was missing, in pieces.
void addFragments(const MemoryMessage& message,
                  const Scenario* scenario,
                  std::vector<OomCause>& causes) {
    const bool hasSegments =
        scenario != nullptr && scenario->settings.allocator == AllocatorKind::ExpandableSegments;
    if (!message.unallocated || !message.tried || message.hadRoom()) {
        return;
    }
    const bool isWhole = *message.unallocated >= *message.tried;
    const std::optional<Bytes> missing = isWhole ? message.tried : message.missing();
    if (missing && *message.unallocated >= *missing) {
        causes.push_back({"fragmentation: PyTorch held " + shortText(*message.unallocated) +
                              " in no tensor, more than the " + shortText(*missing) +
                              (isWhole ? " that failed" : " that were missing"),
                          hasSegments ? "nothing of the allocator's: the scenario has "
                                        "expandable_segments:True already, of which so much is not "
                                        "expected (was it set in the run?)"
                                      : wayOutOfPieces(message)});
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

/// The buffers of NCCL, or on AMD's cards RCCL, are most of what several GPUs hold beside PyTorch;
/// one alone has none.
void addNotPyTorch(const MemoryMessage& message,
                   const Scenario* scenario,
                   std::vector<OomCause>& causes) {
    const bool alone = scenario != nullptr && scenario->layout.world() == 1;
    const bool isAmd = scenario != nullptr && scenario->cluster.node.gpu.vendor == "AMD";
    const std::string library = isAmd ? "RCCL" : "NCCL";
    const std::optional<Bytes> beside = message.notPyTorch();
    if (!beside || static_cast<double>(beside->count()) < kGibi ||
        share(*beside, message) <= kNotable) {
        return;
    }
    causes.push_back(
        {shortText(*beside) + (message.inUse ? " of this process is" : " is") + " not PyTorch's: " +
             (isAmd ? "HIP" : "CUDA") + " context, " + (alone ? "" : library + "'s buffers, ") +
             "libraries" + (message.inUse ? "" : ", and other processes"),
         alone ? "fewer libraries that load their own kernels; the context itself stays"
               : std::string("fewer communicators, ") +
                     (isAmd ? "" : "NCCL_NVLS_ENABLE=0 within NVLink, ") +
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

/// What ran out outside PyTorch's allocator, whose messages say no size.
OomCause causeElsewhere(MemoryMessage::Kind kind) {
    switch (kind) {
        case MemoryMessage::Kind::Nccl:
            return {
                "NCCL found no GPU memory for its buffers: they are outside PyTorch's allocator, "
                "which had taken the rest",
                "fewer communicators, NCCL_NVLS_ENABLE=0 within NVLink, NCCL_BUFFSIZE or "
                "NCCL_MAX_NCHANNELS smaller, or less for PyTorch"};
        case MemoryMessage::Kind::Cublas:
            return {
                "cuBLAS found no GPU memory for its handle or workspace: these are outside "
                "PyTorch's tensors",
                "less for PyTorch, or a smaller CUBLAS_WORKSPACE_CONFIG; indices outside an "
                "embedding end in this message too (CUDA_LAUNCH_BLOCKING=1 shows them)"};
        case MemoryMessage::Kind::Unsized:
            return {
                "PyTorch's allocator found no GPU memory for a tensor: messages of before 0.4.1 "
                "say no sizes",
                "nvidia-smi shows the processes; smaller batches, or a newer PyTorch, which says "
                "what held the memory"};
        case MemoryMessage::Kind::TooLarge:
            return {
                "more than an exabyte was asked for: not for want of memory, but a size that is "
                "wrong",
                "the shapes of the call that failed: a negative or overflown size, lengths or "
                "offsets that were not set"};
        case MemoryMessage::Kind::SharedMemory:
            return {
                "the shared memory of the host or the container (/dev/shm) ran out, over which "
                "workers of the data loader hand batches on: not the GPU's",
                "more of it (docker run --shm-size=16g or --ipc=host, a memory volume at /dev/shm "
                "of the pod), or fewer workers"};
        case MemoryMessage::Kind::Host:
            return {
                "the host's memory ran out, or the job's share of it: not the GPU's",
                "more of it (sbatch --mem=0, the pod's limit), fewer workers of the data loader, "
                "no offload, ranks that load the checkpoint one by one"};
        default:
            return {
                "the driver found no GPU memory for a context, a module or a kernel: PyTorch's "
                "allocator or another process had taken the rest",
                "nvidia-smi shows the processes; less for PyTorch "
                "(torch.cuda.set_per_process_memory_fraction)"};
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

std::vector<OomCause> causesOf(const MemoryMessage& message, const Scenario* scenario) {
    std::vector<OomCause> causes;
    if (!message.isFailure()) {
        addSlack(message, causes);
        return causes;
    }
    if (!message.hasSizes()) {
        return {causeElsewhere(message.kind)};
    }
    addLimit(message, causes);
    addSpilled(message, causes);
    addOtherProcesses(message, causes);
    addFragments(message, scenario, causes);
    addPools(message, causes);
    addNotPyTorch(message, scenario, causes);
    return causes;
}

std::vector<MemoryLayer> layersOf(const MemoryMessage& message, const MemoryBreakdown* forecast) {
    const StageMemory* stage = forecast == nullptr ? nullptr : &forecast->stages[forecast->fullest];
    const auto ours = [&](auto&& of) {
        return stage == nullptr ? std::nullopt : std::optional<Bytes>(of(*stage));
    };
    const bool failed = message.isFailure();
    const std::optional<Bytes> tensors = failed ? message.allocated : message.maxAllocated;
    const std::optional<Bytes> held = message.reserved();
    std::vector<MemoryLayer> layers;
    if (message.isOfHost()) {
        if (forecast != nullptr && forecast->host.perNode > Bytes()) {
            layers.push_back({"host memory of a node", std::nullopt, forecast->host.perNode});
        }
        return layers;
    }
    layers.push_back({failed || !message.isPeak() ? "in tensors" : "in tensors, at the peak",
                      tensors,
                      ours([](const StageMemory& one) { return one.allocated; })});
    if (failed) {
        layers.push_back({"the allocation that failed", message.tried, std::nullopt});
    }
    // What an allocator that is short can give back it gave back before it failed.
    layers.push_back(
        {failed ? "kept by the allocator" : "held by the allocator",
         tensors && held && *held >= *tensors ? std::optional(*held - *tensors) : std::nullopt,
         ours([&](const StageMemory& one) {
             const Bytes kept = forecast->pinned - one.context - one.collectives;
             const Bytes holds = failed ? kept : one.reserved.value;
             return std::max(holds, one.allocated) - one.allocated;
         })});
    if (message.snapshot) {
        layers.push_back({"its largest free block", message.snapshot->largestFree, std::nullopt});
    }
    layers.push_back({"not PyTorch's", message.notPyTorch(), ours([](const StageMemory& one) {
                          return one.context + one.collectives;
                      })});
    if (const std::optional<Bytes> others = message.otherProcesses()) {
        layers.push_back({"other processes", others, std::nullopt});
    }
    return layers;
}

/// The question with so much of the GPU set aside that its fixes are judged as if every layout took
/// as much more than its forecast as this run did.
Result<Question> asMeasured(const Question& question, double over) {
    // Rounded so that the layout that failed does not fit.
    constexpr double kMostReserve = 0.9;  // of what may be set aside: ten times the forecast
    const double reserve = std::min(kMostReserve, std::ceil(1e4 * (1.0 - 1.0 / over) + 0.01) / 1e4);
    const Edit edit{"cluster.reserve", std::to_string(reserve), "the message"};
    return with(question, std::span(&edit, 1));
}

/// The question without what did not run when memory ran out: no change to an evaluation helps a
/// step of training.
Result<Question> asRan(const Question& question,
                       const MemoryMessage& message,
                       const Scenario& scenario) {
    const PhaseSettings& phases = scenario.settings.phases;
    std::vector<Edit> edits;
    if (message.phase == MemoryMessage::Phase::Training && phases.evaluationBatch > 0) {
        edits.push_back({"settings.phases.evaluation_batch", "0", "the message"});
        edits.push_back({"settings.phases.kept_logits", "0", "the message"});
    }
    return with(question, edits);
}

/// Drivers differ by a little in what they report.
bool isAsLarge(Bytes one, Bytes other) {
    constexpr double kSameGpu = 0.1;
    return std::abs(one / other - 1.0) <= kSameGpu;
}

/// The GPUs with as much memory, those whose names begin as this one's does before all others.
std::string gpusWith(Bytes memory, const std::string& like, const Workbench& bench) {
    const std::string family = like.substr(0, like.find('-'));
    std::vector<std::string> names;
    std::vector<std::string> others;
    for (const ProfileFile& file : bench.profiles().files(ProfileKind::Gpu)) {
        const Result<GpuSpec> gpu = bench.profiles().gpu(file.name);
        const std::optional<Bytes> has = gpu ? gpu->capacity().value : std::nullopt;
        if (has && *has > Bytes() && isAsLarge(memory, *has)) {
            (file.name.starts_with(family + "-") ? names : others).push_back(file.name);
        }
    }
    return joined(names.empty() ? others : names, ", ");
}

/// A message of another GPU says nothing about this scenario.
Result<void> checkCapacity(const MemoryMessage& message,
                           const Scenario& scenario,
                           Bytes ours,
                           const Question& question,
                           const Workbench& bench) {
    if (!message.capacity || ours <= Bytes() || isAsLarge(*message.capacity, ours)) {
        return {};
    }
    const std::string& gpu = scenario.cluster.node.gpu.name;
    const std::string alike = gpusWith(*message.capacity, gpu, bench);
    const JsonValue* const cluster = question.root.find("cluster");
    const bool isGpu = cluster != nullptr && cluster->find("gpu") != nullptr;
    return fail(Error::Code::BadInput,
                isGpu ? "cluster.gpu" : "cluster",
                "the message is of a GPU with " + shortText(*message.capacity) + ", and " + gpu +
                    " has " + shortText(ours),
                alike.empty()
                    ? "name the GPU of the run (-c, --gpu), or leave the scenario out"
                    : "--gpu with one that has as much (" + alike + "), or leave the scenario out");
}

/// What a run needed that failed. One that filled the GPU needed at least all that other processes
/// left it, and what was missing; another one no more than what its message counts.
Bytes neededBy(const MemoryMessage& message, Bytes capacity) {
    const Bytes all = std::max(message.capacity.value_or(capacity), capacity);
    const Bytes tried = message.tried.value_or(Bytes());
    const bool isFilled = !message.isLimited() && !message.hadRoom();
    if (!isFilled) {
        return message.needed().value_or(all - message.free.value_or(Bytes()) + tried);
    }
    const Bytes least =
        all - notableOthers(message).value_or(Bytes()) + message.missing().value_or(Bytes());
    return std::max(message.needed().value_or(least), least);
}

double overForecast(const MemoryMessage& message, Bytes capacity, double peak) {
    return message.hasSizes()
               ? std::max(1.0, static_cast<double>(neededBy(message, capacity).count()) / peak)
               : 1.0;
}

/// No way out is called surer than `explain` calls it, which knows of no room that was asked for.
Result<void> judgeAsExplained(const Question& question,
                              const Workbench& bench,
                              const Watch& watch,
                              MemoryBreakdown& memory) {
    for (Rejection& rejection : memory.rejections) {
        for (Fix& fix : rejection.fixes) {
            FABRICAST_ASSIGN(const Question changed, with(question, fix.edits));
            FABRICAST_ASSIGN(const LoadedScenario loaded,
                             loadScenario(changed.root, bench.profiles(), changed.folders));
            FABRICAST_ASSIGN(const MemoryBreakdown explained,
                             memoryOfAllStages(loaded.scenario, watch));
            fix.verdict = std::max(fix.verdict, explained.verdict);
            fix.onDevice = std::max(fix.onDevice, explained.onDevice);
        }
        putSurestFirst(rejection.fixes);
    }
    return {};
}

Result<void> addForecast(const Question& question,
                         const Workbench& bench,
                         const Watch& watch,
                         OomAnswer& answer) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfAllStages(loaded.scenario, watch));
    FABRICAST_TRY(checkCapacity(answer.message, loaded.scenario, memory.capacity, question, bench));
    memory.notes.insert(memory.notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    answer.scenario = std::move(loaded.scenario);
    answer.forecast = std::move(memory);
    if (!answer.message.isFailure() || answer.message.isOfHost()) {
        return {};
    }
    FABRICAST_ASSIGN(const Question ran, asRan(question, answer.message, *answer.scenario));
    FABRICAST_ASSIGN(const LoadedScenario running,
                     loadScenario(ran.root, bench.profiles(), ran.folders));
    FABRICAST_ASSIGN(const MemoryBreakdown ofRun, memoryOfAllStages(running.scenario, watch));
    const double peak = static_cast<double>(ofRun.peak.value.count());
    answer.overForecast = overForecast(answer.message, answer.forecast->capacity, peak);
    const Bytes needed(std::llround(answer.overForecast * peak));
    answer.isOtherRun = needed / std::max(ofRun.unpressed, ofRun.peak.hi) > 1.0 + kNearlySame;
    if (answer.isOtherRun) {
        // What is not of this scenario does not become less by its changes.
        FABRICAST_ASSIGN(answer.guesses, guessesFor(ran, running.scenario, needed, bench, watch));
        return {};
    }
    // A run that took no more than its forecast is judged by that, as every other question is.
    const bool isMore = answer.overForecast > 1.0;
    FABRICAST_ASSIGN(const Question judged,
                     isMore ? asMeasured(ran, answer.overForecast) : Result<Question>(ran));
    FABRICAST_ASSIGN(LoadedScenario again,
                     loadScenario(judged.root, bench.profiles(), judged.folders));
    FABRICAST_ASSIGN(MemoryBreakdown strict, memoryOfAllStages(again.scenario, watch));
    FABRICAST_ASSIGN(strict, withFixes(std::move(strict), again.scenario, judged, bench, watch));
    FABRICAST_TRY(judgeAsExplained(question, bench, watch, strict));
    answer.forecast->rejections = std::move(strict.rejections);
    return watch.check();
}

}  // namespace

bool isSnapshotOfMemory(std::string_view bytes) {
    return isMemorySnapshot(bytes);
}

bool isMemoryMessage(std::string_view bytes, const std::string& source) {
    return isMemorySnapshot(bytes) ||
           (!isLaunchFile(bytes, source) && parseMemoryMessage(bytes, source).has_value());
}

Result<OomAnswer> explainOom(const OomAsk& ask, const Workbench& bench, const Watch& watch) {
    FABRICAST_TRY(watch.check());
    OomAnswer answer;
    FABRICAST_ASSIGN(answer.message,
                     isMemorySnapshot(ask.text) ? parseMemorySnapshot(ask.text, ask.source)
                                                : parseMemoryMessage(ask.text, ask.source));
    answer.shortBy = answer.message.missing();
    if (ask.question) {
        if (Result<void> added = addForecast(*ask.question, bench, watch, answer); !added) {
            return tl::unexpected(located(std::move(added).error(), ask.question->root));
        }
    }
    answer.causes = causesOf(answer.message, answer.scenario ? &*answer.scenario : nullptr);
    answer.layers = layersOf(answer.message, answer.forecast ? &*answer.forecast : nullptr);
    return answer;
}

}  // namespace fabricast
