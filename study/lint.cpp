#include "study/lint.h"

#include "planner/lint/lint.h"
#include "planner/load/input_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/subject_text.h"
#include "planner/report/time_words.h"
#include "planner/text/json_builder.h"
#include "planner/text/text_file.h"
#include "study/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace fabricast {
namespace {

/// A rule that needs more than the files' keys.
struct OwnRule {
    std::string_view code;
    LintSeverity severity;
    std::string_view title;
    std::string_view why;
};
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
constexpr std::array kForecastRules = {kTooLarge, kTight, kWaiting, kIdleStages};

constexpr OwnRule kNotThere = {"FL01",
                               LintSeverity::Error,
                               "a named file that cannot be read",
                               "The run ends where it looks for it."};

constexpr OwnRule kNotLookedAt = {"FL02",
                                  LintSeverity::Warning,
                                  "a file that is not looked at",
                                  "What it starts is not known here, so nothing was looked for."};

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

LintFinding findingOf(const OwnRule& rule, std::string where, std::string what, std::string fix) {
    return {.code = std::string(rule.code),
            .severity = rule.severity,
            .where = std::move(where),
            .what = std::move(what),
            .why = std::string(rule.why),
            .fix = std::move(fix)};
}

std::string gibibytes(Bytes bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes.count()) / (1LL << 30));
}

void addMemoryFindings(const Question& question,
                       const MemoryBreakdown& memory,
                       std::vector<LintFinding>& all) {
    if (memory.verdict == Verdict::Fits) {
        return;
    }
    const bool host = memory.verdict != memory.onDevice;
    std::string fix;
    for (const Rejection& rejection : memory.rejections) {
        for (const Fix& one : rejection.fixes) {
            const bool helps = one.verdict == Verdict::Fits;
            if (helps && fix.empty()) {
                fix = one.change + (one.sideEffect.empty() ? "" : " (" + one.sideEffect + ")");
            }
        }
    }
    const std::string what =
        host ? hostNeedText(memory.ofNode())
             : "the run needs " + gibibytes(memory.peak.value) + " of " + gibibytes(memory.room()) +
                   (memory.rejections.empty() ? "" : ", " + memory.rejections.front().where);
    // Whether activations are kept is not said by every file: the script may recompute.
    const bool isOpen = !host && !says(question, "layout.recompute");
    all.push_back(findingOf(
        memory.verdict == Verdict::DoesNotFit ? kTooLarge : kTight,
        whereFirstSaid(question, {"layout.micro_batch", "layout.recompute", "layout.shard"}),
        what + (isOpen ? ", unless its script recomputes activations or trains adapters" : ""),
        fix.empty() ? "fabricast explain " + typed(question) : fix));
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
            return whereFirstSaid(question, {"layout.shard", "layout.dp", "layout.shard_size"});
    }
}

void addTimeFindings(const Question& question,
                     const Explanation& forecast,
                     std::vector<LintFinding>& all) {
    const TimeByPart& parts = forecast.step->parts;
    const double step = parts.total();
    TimePart most = TimePart::Shard;
    double waiting = 0.0;
    for (const TimePart part : {TimePart::Tensor,
                                TimePart::Context,
                                TimePart::Expert,
                                TimePart::Shard,
                                TimePart::Stage}) {
        waiting += parts.of(part);
        most = parts.of(part) > parts.of(most) ? part : most;
    }
    const std::string faster = forecast.faster ? "--set " + forecast.faster->set : "";
    if (step > 0.0 && waiting > kMuchCommunication * step) {
        all.push_back(
            findingOf(kWaiting,
                      whereCommunication(question, most),
                      fmt::format("{:.0f} % of a step is communication that nothing hides, "
                                  "most of it {}",
                                  100.0 * waiting / step,
                                  shortPartWords(most)),
                      faster.empty() ? "fabricast plan finds a layout" : faster));
    }
    const double bubble = parts.of(TimePart::Bubble);
    if (step > 0.0 && bubble > kMuchBubble * step) {
        all.push_back(findingOf(
            kIdleStages,
            whereFirstSaid(question, {"layout.pp"}),
            fmt::format("{:.0f} % of a step is waiting for other stages", 100.0 * bubble / step),
            "more micro-batches, or interleaved stages"));
    }
}

/// A rule looks at the batch of DeepSpeed: the rest is forecast all the same.
Question withoutBatchRanks(Question question) {
    question.root = JsonBuilder::without(std::move(question.root), "imported.batch_ranks");
    return question;
}

/// As much of the forecast as there is.
Result<Explanation> forecastToLint(const Question& question,
                                   const Workbench& bench,
                                   const Watch& watch) {
    Result<Explanation> whole =
        explain(question, {.memory = true, .step = true, .faster = true}, bench, watch);
    return whole || whole.error().code != Error::Code::Unsupported
               ? whole
               : explain(question, {.memory = true}, bench, watch);
}

LintFacts factsOf(const Question& question, const Explanation& forecast) {
    const Scenario& scenario = forecast.scenario;
    LintFacts facts{.gpusPerNode = scenario.cluster.node.gpus,
                    .isBlackwell = scenario.cluster.node.gpu.family == "Blackwell"};
    if (says(question, "cluster.nodes") || says(question, "cluster.gpus")) {
        facts.gpus = scenario.cluster.gpus();
        facts.dataRanks = scenario.layout.dp;
    }
    if (scenario.model.attention.kvHeads > 0) {
        facts.kvHeads = scenario.model.attention.kvHeads;
    }
    if (forecast.step && forecast.step->parts.total() > 0.0) {
        const TimeByPart& parts = forecast.step->parts;
        facts.shardShare = parts.of(TimePart::Shard) / parts.total();
    }
    return facts;
}

void addForecastFindings(const Question& question,
                         const Result<Explanation>& forecast,
                         LintReport& report) {
    if (!forecast) {
        report.notForecast = forecast.error().text();
        return;
    }
    report.subject = subjectText(forecast->scenario);
    report.verdict = forecast->verdict;
    if (forecast->memory) {
        addMemoryFindings(question, *forecast->memory, report.findings);
    }
    if (forecast->step) {
        addTimeFindings(question, *forecast, report.findings);
    }
}

/// Files that are named and cannot be read, at the keys that name them.
void addUnread(std::span<const LintFile> files, std::vector<LintFinding>& all) {
    for (const LintFile& one : files) {
        const OpenedFile& file = one.opened();
        if (file.notOpened.empty()) {
            continue;
        }
        const LaunchKey* const key = one.at(file.namedBy);
        all.push_back(
            findingOf(kNotThere,
                      key == nullptr ? one.keys().source() : one.keys().where(*key),
                      file.namedBy + ": " + file.notOpened,
                      "name one that is there; it was looked for beside " + one.keys().source()));
    }
}

/// Arguments of a program that is of no framework, and that names none of their files. A script may
/// start another one that has them.
void addStranger(std::span<const LintFile> files, LintReport& report) {
    const LintFile& file = files.back();
    if (file.kind() != LaunchKind::Script || !file.opened().names.empty()) {
        return;
    }
    const LaunchKey* const script = file.at("script");
    const std::string name = script == nullptr ? "its program" : file.text("script");
    report.isNotLookedAt = true;
    report.findings.push_back(
        findingOf(kNotLookedAt,
                  script == nullptr ? file.keys().source() : file.keys().where(*script),
                  "not looked at: the framework of " + name + " is not known",
                  "the file that it reads: fabricast lint deepspeed.json"));
}

void leaveOut(const LintAsk& ask, std::vector<LintFinding>& findings) {
    std::erase_if(findings, [&ask](const LintFinding& one) {
        return one.severity > ask.least ||
               std::ranges::find(ask.ignored, one.code) != ask.ignored.end();
    });
    std::ranges::stable_sort(findings, {}, &LintFinding::severity);
}

/// The file and those that it names, which are looked for beside it.
Result<std::vector<LintFile>> filesOf(const std::string& text, const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const auto read = [&folder](const std::string& name) -> Result<std::string> {
        FABRICAST_ASSIGN(InputText input, readInputText(pathFrom(folder, name), nullptr));
        return std::move(input.text);
    };
    FABRICAST_ASSIGN(std::vector<OpenedFile> opened, openLaunchFiles(text, sourceName(path), read));
    std::vector<LintFile> files;
    for (OpenedFile& one : opened) {
        files.emplace_back(std::move(one));
    }
    return files;
}

}  // namespace

Result<LintReport> lint(const std::string& file,
                        const std::string& directory,
                        const Result<Question>& question,
                        const LintAsk& ask,
                        const Workbench& bench,
                        const Watch& watch) {
    FABRICAST_TRY(watch.check());
    const std::string path = pathFrom(directory, file);
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    const std::string source = sourceName(path);
    if (!isLaunchFile(text, source)) {
        return fail(Error::Code::BadInput,
                    source,
                    "is no launch file of a framework",
                    "fabricast check, for a scenario");
    }
    FABRICAST_ASSIGN(const std::vector<LintFile> files, filesOf(text, path));
    LintReport report{.file = file, .reads = {}, .findings = {}};
    for (const LintFile& one : files) {
        report.reads.push_back(one.keys().source());
    }
    const Result<Explanation> forecast =
        question ? forecastToLint(withoutBatchRanks(*question), bench, watch)
                 : tl::unexpected(question.error());
    if (!forecast && forecast.error().code == Error::Code::Stopped) {
        return tl::unexpected(forecast.error());
    }
    report.findings = lint(files, forecast ? factsOf(*question, *forecast) : LintFacts{});
    addUnread(files, report.findings);
    addStranger(files, report);
    addForecastFindings(question.value_or(Question{}), forecast, report);
    leaveOut(ask, report.findings);
    return report;
}

LintReport notLookedAt(const std::string& file, const std::string& why) {
    return {.file = file,
            .reads = {file},
            .findings = {findingOf(kNotLookedAt,
                                   file,
                                   "not looked at: " + why,
                                   "fabricast lint FILE, for launch files alone")},
            .notForecast = "it is no launch file",
            .isNotLookedAt = true};
}

std::vector<ListedRule> lintRules() {
    std::vector<ListedRule> rules;
    for (const LintRule& one : allLintRules()) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    for (const OwnRule& one : kForecastRules) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    for (const OwnRule& one : {kNotThere, kNotLookedAt}) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    std::ranges::sort(rules, {}, &ListedRule::code);
    return rules;
}

}  // namespace fabricast
