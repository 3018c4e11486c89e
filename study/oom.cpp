#include "study/oom.h"

#include "planner/base/quantity_text.h"
#include "planner/base/words.h"
#include "planner/launch/opened_file.h"
#include "planner/load/load_question.h"
#include "planner/measured/parse_memory_message.h"
#include "planner/measured/parse_memory_snapshot.h"
#include "planner/memory/stage_memory.h"
#include "study/fixes.h"
#include "study/growing_segments.h"
#include "study/oom_causes.h"
#include "study/oom_guesses.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

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
    if (!answer.message.isFailure() || answer.message.isOfHost() || answer.message.isBeyondGpu()) {
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
        FABRICAST_ASSIGN(answer.guesses,
                         guessesFor(ran, running.scenario, needed, kNearlySame, bench, watch));
        return {};
    }
    FABRICAST_ASSIGN(const auto preparation,
                     preparationFor(ran, running.scenario, answer.message, ofRun, bench, watch));
    if (preparation) {
        answer.causes.push_back(*preparation);
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
    FABRICAST_TRY(addGrowingSegments(ran, answer, bench, watch, strict.rejections));
    answer.forecast->rejections = std::move(strict.rejections);
    return watch.check();
}

/// Whether a run that went on took something else than its scenario's fullest stage, or its
/// emptiest: by what PyTorch counted, which is forecast within a few percent.
Result<void> addNearerQuestions(const Question& question,
                                const Workbench& bench,
                                const Watch& watch,
                                OomAnswer& answer) {
    constexpr double kOther = 0.1;
    const auto counted = std::ranges::find_if(answer.layers, [](const MemoryLayer& layer) {
        return layer.measured && layer.forecast && *layer.forecast > Bytes();
    });
    if (answer.message.isFailure() || !answer.message.isPeak() || counted == answer.layers.end()) {
        return {};
    }
    const auto least = std::ranges::min_element(
        answer.forecast->stages, {}, [](const StageMemory& one) { return one.allocated; });
    const StageMemory& most = answer.forecast->stages[answer.forecast->fullest];
    answer.ofForecast = *counted->measured / *counted->forecast;
    const bool isLess = answer.ofForecast < (1.0 - kOther) * (least->allocated / most.allocated);
    // A stage that does not fit has not run.
    const bool hasNotRun =
        answer.ofForecast < 1.0 - kOther && answer.forecast->verdict == Verdict::DoesNotFit;
    // What the allocator holds beside tensors differs from run to run, within the interval.
    const bool isOfTensors = counted->name.starts_with("in tensors");
    const bool isMore = answer.ofForecast > 1.0 + kOther &&
                        (isOfTensors || *counted->measured + most.context + most.collectives >
                                            answer.forecast->peak.hi);
    answer.isOtherRun = isLess || hasNotRun || isMore;
    if (answer.isOtherRun) {
        const Bytes needed(std::llround(answer.ofForecast *
                                        static_cast<double>(answer.forecast->peak.value.count())));
        FABRICAST_ASSIGN(answer.guesses,
                         guessesFor(question, *answer.scenario, needed, kOther / 2, bench, watch));
    }
    return {};
}

}  // namespace

bool isSnapshotOfMemory(std::string_view bytes) {
    return isMemorySnapshot(bytes);
}

bool isMemoryMessage(std::string_view bytes, const std::string& source) {
    return isMemorySnapshot(bytes) || (!isLaunchFile(bytes, source) && hasMemoryMessage(bytes));
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
    } else if (answer.message.capacity) {
        answer.gpusAlike = gpusAlike(*answer.message.capacity, bench);
    }
    const MemoryBreakdown* const forecast = answer.forecast ? &*answer.forecast : nullptr;
    std::vector<OomCause> told =
        causesOf(answer.message, answer.scenario ? &*answer.scenario : nullptr, forecast);
    answer.causes.insert(answer.causes.begin(), told.begin(), told.end());
    answer.layers = isOfTotals(answer.message) ? totalLayers(answer.message, forecast)
                                               : layersOf(answer.message, forecast);
    if (ask.question) {
        FABRICAST_TRY(addNearerQuestions(*ask.question, bench, watch, answer));
    }
    addUntold(answer.message, answer.layers);
    return answer;
}

}  // namespace fabricast
