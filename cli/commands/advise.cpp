#include "study/advise.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/advice_report.h"
#include "planner/report/answer_json.h"
#include "study/next_command.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostUsd = 1'000'000'000'000;

struct AdviseFlags {
    QuestionArguments question;
    AdviseAsk ask;
};

ExitCode adviceCode(const Advice& advice) {
    if (advice.stopped) {
        return ExitCode::Interrupted;
    }
    if (advice.recommended) {
        return ExitCode::Ok;
    }
    const bool anyKnown = std::ranges::any_of(
        advice.steps, [](const AdviceStep& step) { return step.plan.has_value(); });
    return anyKnown ? ExitCode::DoesNotFit : ExitCode::BadInput;
}

/// Advice is not a single table.
constexpr std::array kForms = {Format::Text, Format::Json, Format::Markdown};

struct ShownAdvice {
    Advice advice;
    JsonValue asked;  ///< with whole paths
};
using AdviceForm = AnswerForm<ShownAdvice>;
constexpr std::array kAdviceForms = {
    AdviceForm{"text", [](const ShownAdvice& all) { return adviceReport(all.advice); }},
    AdviceForm{"json",
               [](const ShownAdvice& all) {
                   return adviceJson(all.advice, &all.asked, FABRICAST_VERSION);
               }},
    AdviceForm{"md", [](const ShownAdvice& all) { return adviceMarkdown(all.advice); }}};

Result<Answer> runAdvise(const AdviseFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(Advice advice, advise(question, flags.ask, bench, options.watch()));
    if (options.quiet && options.format != Format::Json) {
        advice.notes.clear();
    }
    FABRICAST_ASSIGN(Question whole, withWholePaths(question, bench.profiles()));
    const ShownAdvice all{std::move(advice), std::move(whole.root)};
    Answer answer = answerIn(options.format, all, kAdviceForms);
    answer.leanOn(all.advice.notes);
    answer.code = adviceCode(all.advice);
    if (!options.quiet && options.format == Format::Text) {
        FABRICAST_ASSIGN(const std::string next, nextAfterAdvice(question, all.advice, bench));
        answer.add(next);
    }
    return answer;
}

}  // namespace

Command adviseCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command("advise", "Recommend a way to train, and explain why");
    const auto flags = std::make_shared<AdviseFlags>();
    app.footer(
        "examples:\n"
        "  fabricast advise -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64\n"
        "  fabricast advise run.json --tokens 1T --max-usd 200000\n"
        "Exit status 1 if nothing fits (--no-fail: 0).");
    flags->question.triesLora = true;
    addScenarioArguments(app, flags->question, {"--stack", "--layout"});
    addQuestionFlags(app, flags->question, std::span(flagTyped("--software"), 1));
    app.add("--max-usd", flags->ask.maxUsd, {1, kMostUsd})
        .describe("maximum cost of the run of --tokens, in dollars")
        .takes("N")
        .group("The budget");
    return {app, [flags, &options] { return runAdvise(*flags, options); }, true, kForms};
}

}  // namespace fabricast
