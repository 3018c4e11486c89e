#include "planner/report/memory_report.h"
#include "planner/report/time_words.h"
#include "study/explain.h"
#include "study/launch_lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fabricast {
namespace {

constexpr OwnRule kTooLarge = {"FC01",
                               LintSeverity::Error,
                               "a run that does not fit the GPU's memory",
                               "It ends with an out-of-memory error."};
constexpr OwnRule kTight = {"FC02",
                            LintSeverity::Warning,
                            "a run that may not fit the GPU's memory",
                            "What the allocator holds back decides: it may end hours later."};
constexpr OwnRule kWaiting = {"FC03",
                              LintSeverity::Warning,
                              "a layout bound by communication",
                              "The GPUs wait for each other for a large part of every step."};
constexpr OwnRule kIdleStages = {"FC04",
                                 LintSeverity::Warning,
                                 "a pipeline that waits for itself",
                                 "Stages are idle while it fills and empties."};
constexpr OwnRule kUnknownNode = {"FC05",
                                  LintSeverity::Warning,
                                  "a run that its nodes may have no room for",
                                  "What is offloaded lies in host memory or on drives of a size "
                                  "that is not known."};
constexpr std::array kForecastRules = {kTooLarge, kTight, kWaiting, kIdleStages, kUnknownNode};

/// Shares of a step that are worth a warning.
constexpr double kMuchCommunication = 0.25;
constexpr double kMuchBubble = 0.20;

/// The first of the keys that the file says, where a person would change it.
std::string whereFirstSaid(const Question& question, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (std::string where = whereSaid(question, key); where.find(':') != std::string::npos) {
            return where;
        }
    }
    return question.file;
}

std::string gibibytes(Bytes bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes.count()) / (1LL << 30));
}

/// What findings of a forecast are made from.
struct ForecastSubject {
    const Question& question;
    const Explanation& forecast;
    std::span<const OpenedFile> files;
    const Workbench& bench;
    const Watch& watch;
};

/// Hardware that a change needs and no key of a file says: " on 4 nodes (-n 4)".
std::string hardwareOf(std::span<const Edit> edits) {
    std::string text;
    for (const Edit& edit : edits) {
        if (edit.path == "cluster.nodes") {
            text += " on " + edit.value + " nodes (-n " + edit.value + ")";
        } else if (edit.path == "cluster.gpus") {
            text += " on " + edit.value + " GPUs (--gpus " + edit.value + ")";
        }
    }
    return text;
}

/// What to write: the files' own keys, or what is typed behind them.
std::string fixText(const ForecastSubject& subject,
                    std::span<const Edit> edits,
                    const std::string& typedChange,
                    const std::string& sideEffect) {
    const std::string own = ownKeysOf(subject.files, subject.question, edits, subject.bench);
    return (own.empty() ? typedChange : own + hardwareOf(edits)) +
           (sideEffect.empty() ? "" : " (" + sideEffect + ")");
}

/// Whether a file of torchtune, whose models are its own, has no key for a change.
bool isForOthers(const ForecastSubject& subject, std::span<const Edit> edits) {
    const bool hasTuneConfig = std::ranges::any_of(
        subject.files, [](const OpenedFile& file) { return file.kind == LaunchKind::Tune; });
    return hasTuneConfig && hardwareOf(edits).empty() &&
           ownKeysOf(subject.files, subject.question, edits, subject.bench).empty();
}

/// Tensor parallelism over more GPUs than a node has is between nodes.
bool splitsLayersOverNodes(const Fix& fix, const Scenario& scenario) {
    return std::ranges::any_of(fix.edits, [&](const Edit& edit) {
        std::int64_t ranks = 0;
        (void)std::from_chars(edit.value.data(), edit.value.data() + edit.value.size(), ranks);
        return edit.path == "layout.tp" && ranks > scenario.cluster.node.gpus;
    });
}

/// Whether a change takes away all that is wrong, or turns what cannot run into what likely does.
bool isCure(const Fix& fix, const MemoryBreakdown& memory) {
    return fix.verdict == Verdict::Fits ||
           (fix.verdict == Verdict::Likely && memory.verdict == Verdict::DoesNotFit);
}

/// The first that makes it fit, of those that do what a person would try first; else the first that
/// likely does; else the nearest, and where more is looked for.
std::string memoryFix(const ForecastSubject& subject, const MemoryBreakdown& memory) {
    const Fix* best = nullptr;
    const Fix* nearest = nullptr;
    for (const Rejection& rejection : memory.rejections) {
        for (const Fix& one : rejection.fixes) {
            if (isForOthers(subject, one.edits)) {
                continue;
            }
            const bool isSurer =
                best != nullptr && best->verdict != Verdict::Fits && one.verdict == Verdict::Fits;
            const bool isFirst = best == nullptr || isSurer;
            const bool isKinder = !isFirst &&
                                  splitsLayersOverNodes(*best, subject.forecast.scenario) &&
                                  !splitsLayersOverNodes(one, subject.forecast.scenario);
            const bool isAsSure = isFirst || best->verdict == one.verdict;
            if (isCure(one, memory) && (isFirst || (isKinder && isAsSure))) {
                best = &one;
            }
            if (nearest == nullptr || one.peakAfter < nearest->peakAfter) {
                nearest = &one;
            }
        }
    }
    if (best != nullptr) {
        return fixText(subject, best->edits, best->behind, best->sideEffect) +
               (best->verdict == Verdict::Fits ? "" : "; it then likely fits");
    }
    const std::string more = "more GPUs, or another layout: fabricast plan " +
                             typed(subject.question) + " --set layout=null";
    return nearest == nullptr ? more
                              : fixText(subject, nearest->edits, nearest->behind, "") +
                                    " makes it " + gibibytes(nearest->peakAfter) + "; " + more;
}

/// The next size in which memory is built: "--host-memory 512GB".
std::string sizeToState(const HostNeed& need) {
    constexpr std::int64_t kGB = 1'000'000'000;
    std::int64_t size = 1;
    while (size * kGB < need.perNode.count()) {
        size *= 2;
    }
    return std::string(need.flag) + " " + std::to_string(size) + "GB, where a node has as much";
}

void addMemoryFindings(const ForecastSubject& subject, std::vector<LintFinding>& all) {
    const MemoryBreakdown& memory = *subject.forecast.memory;
    if (memory.verdict == Verdict::Fits) {
        return;
    }
    const HostNeed& need = memory.ofNode();
    if (memory.onDevice == Verdict::Fits && need.isUnknown()) {
        all.push_back(findingOf(kUnknownNode,
                                whereFirstSaid(subject.question, {"layout.offload"}),
                                hostNeedText(need),
                                sizeToState(need)));
        return;
    }
    const bool host = memory.verdict != memory.onDevice;
    // What is meant to need 43 of 79 GiB reads as a fit, where it is what it may need that does
    // not.
    const bool mayNeedMore = memory.peak.value <= memory.room() && memory.peak.hi > memory.room();
    const std::string most = mayNeedMore ? ", and up to " + gibibytes(memory.peak.hi) + "," : "";
    const std::string what =
        host ? hostNeedText(memory.ofNode())
             : "the run needs " + gibibytes(memory.peak.value) + most + " of " +
                   gibibytes(memory.room()) +
                   (memory.rejections.empty() ? "" : ", " + memory.rejections.front().where);
    const std::int64_t sequence = subject.forecast.scenario.workload.sequence;
    const std::string length = host || says(subject.question, "workload.sequence")
                                   ? ""
                                   : " (samples of " + std::to_string(sequence) +
                                         " tokens are assumed: no file says how long they are)";
    // Whether activations are kept is not said by every file: the script may recompute.
    const bool isOpen = !host && !says(subject.question, "layout.recompute");
    all.push_back(findingOf(
        memory.verdict == Verdict::DoesNotFit ? kTooLarge : kTight,
        whereFirstSaid(subject.question,
                       {"layout.micro_batch", "layout.recompute", "layout.shard"}),
        what + length +
            (isOpen ? ", unless its script recomputes activations or trains adapters" : ""),
        memoryFix(subject, memory)));
}

/// What a part of communication is said by.
std::string whereCommunication(const Question& question, TimePart part) {
    switch (part) {
        case TimePart::Tensor:
            return whereFirstSaid(question, {"layout.tp"});
        case TimePart::Context:
            return whereFirstSaid(question, {"layout.cp"});
        case TimePart::Expert:
            return whereFirstSaid(question, {"layout.ep"});
        case TimePart::Stage:
            return whereFirstSaid(question, {"layout.pp"});
        default:
            return whereFirstSaid(
                question, {"layout.shard", "layout.dp", "layout.shard_size", "layout.copies"});
    }
}

/// Communication that nothing hides, and the part with most of it.
struct Waiting {
    double seconds = 0.0;
    TimePart most = TimePart::Shard;
};

Waiting waitingOf(const TimeByPart& parts) {
    Waiting waiting;
    for (const TimePart part : {TimePart::Tensor,
                                TimePart::Context,
                                TimePart::Expert,
                                TimePart::Shard,
                                TimePart::Stage}) {
        waiting.seconds += parts.of(part);
        waiting.most = parts.of(part) > parts.of(waiting.most) ? part : waiting.most;
    }
    return waiting;
}

/// The change that makes the step shortest, where it is communication that it takes away.
std::string waitingFix(const ForecastSubject& subject, double seconds) {
    constexpr double kWorthFixing = 0.95;
    const std::string others =
        "another layout: fabricast plan " + typed(subject.question) + " --set layout=null";
    if (!subject.forecast.faster) {
        return others;
    }
    const FasterChange& faster = *subject.forecast.faster;
    const Result<Question> changed = with(subject.question, faster.edits);
    if (!changed || isForOthers(subject, faster.edits)) {
        return others;
    }
    const Result<Explanation> then =
        explain(*changed, {.memory = false, .step = true}, subject.bench, subject.watch);
    const bool helps =
        then && then->step && waitingOf(then->step->parts).seconds < kWorthFixing * seconds;
    return helps ? fixText(subject, faster.edits, "--set " + faster.set, "") : others;
}

void addTimeFindings(const ForecastSubject& subject, std::vector<LintFinding>& all) {
    const TimeByPart& parts = subject.forecast.step->parts;
    const double step = parts.total();
    const Waiting waiting = waitingOf(parts);
    if (step > 0.0 && waiting.seconds > kMuchCommunication * step) {
        all.push_back(findingOf(kWaiting,
                                whereCommunication(subject.question, waiting.most),
                                fmt::format("{:.0f} % of a step is communication that nothing "
                                            "hides, most of it {}",
                                            100.0 * waiting.seconds / step,
                                            shortPartWords(waiting.most)),
                                waitingFix(subject, waiting.seconds)));
    }
    const double bubble = parts.of(TimePart::Bubble);
    if (step > 0.0 && bubble > kMuchBubble * step) {
        all.push_back(findingOf(
            kIdleStages,
            whereFirstSaid(subject.question, {"layout.pp"}),
            fmt::format("{:.0f} % of a step is waiting for other stages", 100.0 * bubble / step),
            "more micro-batches, or interleaved stages"));
    }
}

}  // namespace

std::span<const OwnRule> forecastRules() {
    return kForecastRules;
}

std::vector<LintFinding> forecastFindings(const Question& question,
                                          const Explanation& forecast,
                                          std::span<const OpenedFile> files,
                                          const Workbench& bench,
                                          const Watch& watch) {
    const ForecastSubject subject{question, forecast, files, bench, watch};
    std::vector<LintFinding> all;
    if (forecast.memory) {
        addMemoryFindings(subject, all);
    }
    if (forecast.step) {
        addTimeFindings(subject, all);
    }
    return all;
}

}  // namespace fabricast
