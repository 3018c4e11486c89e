#include "study/explain.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/explanation_report.h"
#include "planner/report/memory_report.h"
#include "study/next_command.h"
#include "study/saved_questions.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

using AskedSection = std::optional<Section>;
constexpr std::array kSections = {Choice<AskedSection>{"memory", Section::Memory},
                                  Choice<AskedSection>{"time", Section::Time},
                                  Choice<AskedSection>{"comm", Section::Comm},
                                  Choice<AskedSection>{"cost", Section::Cost},
                                  Choice<AskedSection>{"all", Section::All}};

struct ExplainFlags {
    QuestionArguments question;
    SectionsAsk ask;
};

struct ShownExplanation {
    Explanation answer;
    ExplanationView view;
};
using ExplanationForm = AnswerForm<ShownExplanation>;
constexpr std::array kExplanationForms = {
    ExplanationForm{
        "text",
        [](const ShownExplanation& all) { return explanationReport(all.answer, all.view); }},
    ExplanationForm{"json",
                    [](const ShownExplanation& all) {
                        return explainJson(all.answer, all.view, FABRICAST_VERSION);
                    }},
    ExplanationForm{"md", [](const ShownExplanation& all) {
                        return explanationMarkdown(all.answer, all.view);
                    }}};

Result<Answer> printedExplanation(const ShownExplanation& all,
                                  const Question& question,
                                  const ExplainFlags& flags,
                                  const GlobalOptions& options) {
    if (options.format == Format::Csv) {
        FABRICAST_ASSIGN(std::string table, explanationCsv(all.answer, all.view));
        return Answer{.text = std::move(table)};
    }
    Answer answer = answerIn(options.format, all, kExplanationForms);
    if (!options.quiet && options.format == Format::Text) {
        const bool isOfCost = flags.ask.shown() == Section::Cost;
        FABRICAST_ASSIGN(const std::string next,
                         nextAfterExplanation(all.answer, question, isOfCost));
        answer.add(next);
    }
    return answer;
}

Result<Answer> runExplain(const ExplainFlags& flags, const GlobalOptions& options) {
    if (!flags.ask.why.empty() && flags.ask.sensitivity) {
        return fail(Error::Code::BadInput,
                    "--why",
                    "answers with a formula, and --sensitivity with a table",
                    "one of the two");
    }
    if (!flags.ask.why.empty() && options.format == Format::Csv) {
        return fail(Error::Code::BadInput,
                    "--why",
                    "answers with formulas, which have no place in a table",
                    "-f text");
    }
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(Explanation answer,
                     explainSections(question, flags.ask, bench, options.watch()));
    FABRICAST_ASSIGN(Report formulas,
                     formulasOf(flags.ask, answer, question, bench, options.watch()));
    if (options.quiet && options.format != Format::Json) {
        (answer.memory ? answer.memory->notes : answer.step->notes).clear();
    }
    const std::vector<std::string> notes = answer.step     ? answer.step->notes
                                           : answer.memory ? answer.memory->notes
                                                           : std::vector<std::string>();
    const bool tooBig = answer.verdict == Verdict::DoesNotFit;
    const ExitCode code = tooBig ? ExitCode::DoesNotFit : ExitCode::Ok;
    if (!flags.ask.why.empty() && options.format == Format::Text) {
        Answer printed{.code = code, .report = std::move(formulas)};
        if (tooBig) {
            printed.remarks.emplace_back(verdictWord(*answer.verdict));
        }
        printed.leanOn(notes);
        return printed;
    }
    ExplanationView view = flags.ask.view(options.verbose);
    FABRICAST_ASSIGN(const Question whole, withWholePaths(question, bench.profiles()));
    view.asked = &whole.root;
    FABRICAST_ASSIGN(Answer printed,
                     printedExplanation({std::move(answer), view}, question, flags, options));
    printed.leanOn(notes);
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
    app.addChoice<AskedSection>("--section", flags->ask.section, kSections)
        .describe("memory (default), time, comm, cost, all")
        .takes("NAME");
    app.add("--sensitivity",
            flags->ask.sensitivity,
            "what a faster GPU, memory, network or host would bring");
    app.add("--why", flags->ask.why, "show the formula behind a number: activations, time.gemm, …")
        .takes("KEY", "activations")
        .oneEach();
    return {app, [flags, &options] { return runExplain(*flags, options); }, true};
}

}  // namespace fabricast
