#include "study/explain.h"

#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/report/cost_report.h"
#include "planner/report/explain_json.h"
#include "planner/report/explanation_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/time_report.h"
#include "planner/report/why_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

enum class Section { Memory, Time, Comm, Cost, All };
using AskedSection = std::optional<Section>;
constexpr std::array kSections = {Choice<AskedSection>{"memory", Section::Memory},
                                  Choice<AskedSection>{"time", Section::Time},
                                  Choice<AskedSection>{"comm", Section::Comm},
                                  Choice<AskedSection>{"cost", Section::Cost},
                                  Choice<AskedSection>{"all", Section::All}};

/// What follows from the step's time, not from its memory.
bool isStepKey(std::string_view key) {
    return isTimeKey(key) || isCostKey(key);
}

std::vector<std::string> whyKeysOf(const std::vector<std::string>& asked) {
    std::vector<std::string> keys;
    for (const std::string& one : asked) {
        std::ranges::move(whyKeys(one), std::back_inserter(keys));
    }
    return keys;
}

struct ExplainFlags {
    QuestionArguments question;
    AskedSection section;
    std::vector<std::string> why;
    bool sensitivity = false;

    /// As said; else what the formulas are about.
    [[nodiscard]] Section shown() const {
        const std::vector<std::string> keys = whyKeysOf(why);
        const auto allAre = [&keys](bool (*isOne)(std::string_view)) {
            return !keys.empty() && std::ranges::all_of(keys, isOne);
        };
        const Section asked = allAre(&isCostKey)   ? Section::Cost
                              : allAre(&isStepKey) ? Section::Time
                                                   : Section::Memory;
        return section.value_or(asked);
    }
    [[nodiscard]] bool shows(Section one) const {
        const bool onlySensitivity = sensitivity && !section;
        return !onlySensitivity && (shown() == one || shown() == Section::All);
    }
    [[nodiscard]] ExplainAsk ask() const {
        const std::vector<std::string> keys = whyKeysOf(why);
        const bool cost = shows(Section::Cost) || std::ranges::any_of(keys, &isCostKey);
        return {.memory = shows(Section::Memory) || !std::ranges::all_of(keys, &isStepKey),
                .step = shows(Section::Time) || shows(Section::Comm) ||
                        std::ranges::any_of(keys, &isStepKey),
                .faster = shows(Section::Time),
                .cost = cost,
                .sensitivity = sensitivity,
                .rulesOfThumb = !why.empty()};
    }
    [[nodiscard]] ExplanationView view(bool verbose) const {
        return {.memory = shows(Section::Memory),
                .time = shows(Section::Time),
                .comm = shows(Section::Comm),
                .cost = shows(Section::Cost),
                .formulas = verbose};
    }
};

/// What to ask next: the faster change, or the formula of what takes most memory.
Result<std::string> nextAfterExplanation(const Explanation& answer,
                                         const Question& question,
                                         const ExplainFlags& flags) {
    if (answer.faster) {
        FABRICAST_ASSIGN(const Question faster, with(question, answer.faster->edits));
        return "\nfaster: " + fasterText(*answer.step, *answer.faster) +
               nextLine("explain", faster, " --section time");
    }
    if (flags.shown() == Section::Cost) {
        return nextLine(
            "explain",
            question,
            answer.basis.tokens ? " --why cost.goodput" : " --section cost --tokens 1T");
    }
    const std::string largest = answer.memory ? largestTerm(*answer.memory) : "time.step";
    return largest.empty() ? "" : nextLine("explain", question, " --why " + largest);
}

Result<Answer> printedExplanation(const Explanation& answer,
                                  const Question& question,
                                  const ExplainFlags& flags,
                                  const GlobalOptions& options) {
    ExplanationView view = flags.view(options.verbose);
    view.asked = &question.root;
    switch (options.format) {
        case Format::Json:
            return Answer{.text = explainJson(answer, view, FABRICAST_VERSION)};
        case Format::Csv: {
            FABRICAST_ASSIGN(std::string table, explanationCsv(answer, view));
            return Answer{.text = std::move(table)};
        }
        case Format::Markdown:
            return Answer{.text = explanationMarkdown(answer, view)};
        case Format::Text:
            break;
    }
    Report report = explanationReport(answer, view);
    if (!options.quiet) {
        FABRICAST_ASSIGN(const std::string next, nextAfterExplanation(answer, question, flags));
        report.add(next);
    }
    return Answer{.report = std::move(report)};
}

/// Where the memory alone is not modelled, its error says what is. A name that is of memory and of
/// the step is answered by what there is.
Result<Explanation> answered(const Question& question,
                             const ExplainFlags& flags,
                             const Workbench& bench,
                             const Watch& watch) {
    const ExplainAsk ask = flags.ask();
    Result<Explanation> answer = explain(question, ask, bench, watch);
    const bool isUnmodelled = !answer && answer.error().code == Error::Code::Unsupported;
    if (isUnmodelled && ask.memory && ask.step && !flags.why.empty() && !flags.section) {
        for (const ExplainAsk& part :
             {ExplainAsk{.memory = true, .rulesOfThumb = true},
              ExplainAsk{.memory = false, .step = true, .cost = ask.cost, .rulesOfThumb = true}}) {
            if (Result<Explanation> one = explain(question, part, bench, watch)) {
                return one;
            }
        }
    }
    if (answer || answer.error().code != Error::Code::Unsupported || !ask.memory) {
        return answer;
    }
    if (explain(question, {.memory = false, .step = true}, bench, watch)) {
        std::string& hint = answer.error().hint;
        hint += (hint.empty() ? "" : "; ") + std::string("--section time, which is modelled");
    }
    return answer;
}

/// The formula of one name: of calls of the step where the memory has nothing of that name.
Result<Report> formulaOf(const std::string& name,
                         const Explanation& answer,
                         const Question& question,
                         const Workbench& bench,
                         const Watch& watch) {
    Result<Report> formula = explanationWhy(answer, name);
    if (formula || answer.step) {
        return formula;
    }
    const Result<Explanation> more = explain(question, {.step = true}, bench, watch);
    Result<Report> calls = more ? explanationWhy(*more, name) : formula;
    return calls ? calls : formula;
}

Result<Answer> runExplain(const ExplainFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(Explanation answer, answered(question, flags, bench, options.watch()));
    Report formulas;
    for (const std::string& key : flags.why) {
        FABRICAST_ASSIGN(const Report formula,
                         formulaOf(key, answer, question, bench, options.watch()));
        formulas.add(formula);
    }
    if (options.quiet && options.format != Format::Json) {
        (answer.memory ? answer.memory->notes : answer.step->notes).clear();
    }
    const bool tooBig = answer.verdict == Verdict::DoesNotFit;
    const ExitCode code = tooBig ? ExitCode::DoesNotFit : ExitCode::Ok;
    if (!flags.why.empty() && options.format == Format::Text) {
        std::vector<std::string> remarks;
        if (tooBig) {
            remarks.emplace_back(verdictWord(*answer.verdict));
        }
        return Answer{.code = code, .remarks = std::move(remarks), .report = std::move(formulas)};
    }
    FABRICAST_ASSIGN(Answer printed, printedExplanation(answer, question, flags, options));
    printed.code = code;
    return printed;
}

}  // namespace

Command explainCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command(
        "explain", "Forecast memory, time and cost of one layout, and explain them");
    const auto flags = std::make_shared<ExplainFlags>();
    app.footer(
        "examples:\n"
        "  fabricast explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192\n"
        "  fabricast explain run.json -n 4 --layout tp=8 --why activations\n"
        "  fabricast explain run.json --section time\n"
        "  fabricast explain run.json --section comm --format csv\n"
        "  fabricast explain run.json --section cost --tokens 15T --price market-2026-05\n"
        "Exit status 1 if the memory does not fit (--no-fail: 0).");
    addScenarioArguments(app, flags->question);
    app.addChoice<AskedSection>("--section", flags->section, kSections)
        .describe("memory (default), time, comm, cost, all")
        .takes("NAME");
    app.add("--sensitivity",
            flags->sensitivity,
            "what a faster GPU, memory, network or host would bring");
    app.add("--why", flags->why, "show the formula behind a number: activations, time.gemm, …")
        .takes("KEY")
        .oneEach();
    return {app, [flags, &options] { return runExplain(*flags, options); }, true};
}

}  // namespace fabricast
