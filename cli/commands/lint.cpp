#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/lint_report.h"
#include "study/lint_files.h"

#include <array>
#include <memory>
#include <optional>

namespace fabricast {
namespace {

constexpr std::array kSeverities = {Choice<LintSeverity>{"error", LintSeverity::Error},
                                    Choice<LintSeverity>{"warning", LintSeverity::Warning},
                                    Choice<LintSeverity>{"note", LintSeverity::Note}};

struct LintFlags {
    QuestionArguments question;
    std::vector<std::string> files;
    std::vector<std::string> reports;
    LintAsk ask;  ///< all severities: what fails does not depend on what is shown
    LintSeverity least = LintSeverity::Note;
    LintSeverity failOn = LintSeverity::Error;
    bool rules = false;
};

using Reports = std::vector<LintReport>;

std::vector<ReportedRule> reportedRules() {
    std::vector<ReportedRule> rules;
    for (const ListedRule& one : lintRules()) {
        rules.push_back({.id = one.code, .text = one.title});
    }
    return rules;
}

using LintForm = AnswerForm<Reports>;
constexpr std::array kLintForms = {
    LintForm{"text", &lintText},
    LintForm{"json", [](const Reports& all) { return lintJson(all, FABRICAST_VERSION); }},
    LintForm{"csv", &lintCsv},
    LintForm{"md", &lintMarkdown},
    LintForm{"junit", &lintJunit},
    LintForm{"sarif",
             [](const Reports& all) {
                 return findingsSarif(findingsOf(all), reportedRules(), FABRICAST_VERSION);
             }},
    LintForm{
        "github",
        [](const Reports& all) { return findingsAnnotations(findingsOf(all), "fabricast lint"); }},
    LintForm{"gitlab", [](const Reports& all) { return findingsCodeQuality(findingsOf(all)); }}};

Result<Answer> listRules(const LintFlags& flags, const GlobalOptions& options) {
    if (!flags.files.empty() || !flags.reports.empty()) {
        return fail(Error::Code::BadInput,
                    "--rules",
                    "lists the rules, and looks at no file",
                    "fabricast lint --rules -f csv");
    }
    return Answer{.text = lintRulesText(lintRules(), options.format)};
}

Result<Answer> runLint(const LintFlags& flags, const GlobalOptions& options) {
    if (flags.rules) {
        return listRules(flags, options);
    }
    if (flags.files.empty()) {
        return fail(
            Error::Code::BadInput, "lint", "needs a launch file", "fabricast lint train.sh");
    }
    FABRICAST_TRY(checkRuleCodes(flags.ask.ignored));
    FABRICAST_ASSIGN(const std::vector<ReportFile> files, reportFiles(flags.reports, kLintForms));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const auto question = [&flags, &options](const std::vector<std::string>& run) {
        QuestionArguments arguments = flags.question;
        arguments.files = run;
        return questionOf(arguments, options);
    };
    const LintFilesAsk ask{.files = flags.files,
                           .directory = options.directory,
                           .each = flags.ask,
                           .questionOf = question};
    FABRICAST_ASSIGN(Reports all, lintFiles(ask, bench, options.watch()));
    const bool isFailed = anyAsSevere(all, flags.failOn);
    leaveOutBelow(flags.least, all);
    FABRICAST_ASSIGN(const std::optional<std::string> piped,
                     writeReports(all, files, kLintForms, options));
    Answer answer = piped ? Answer{.text = *piped} : answerIn(options.format, all, kLintForms);
    answer.code = isFailed ? ExitCode::DoesNotFit : ExitCode::Ok;
    return answer;
}

}  // namespace

Command lintCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("lint", "Find what launch files of a framework will be regretted for");
    const auto flags = std::make_shared<LintFlags>();
    app.footer(
        "files: those that import reads, and scripts that call Hugging Face's Trainer.\n"
        "examples:\n"
        "  fabricast lint accelerate.yaml\n"
        "  fabricast lint pretrain.sh -m llama-3.1-70b -c dgx-h100 -n 8\n"
        "  fabricast lint configs/*.yaml --fail-on warning --report sarif=lint.sarif\n"
        "  fabricast lint --rules\n"
        "An error does not start; a warning starts and does other than the file says, or costs\n"
        "memory, time or precision for nothing. With model and cluster the forecast is looked at "
        "too.\n"
        "Exit status: 0 no error, 1 an error, 2 bad input.");
    constexpr const char* kGroup = "The rules";
    app.add("files", flags->files, "launch files, or folders of them").takes("[FILE...]");
    app.add("--rules", flags->rules, "list all rules").group(kGroup);
    app.add("--ignore", flags->ask.ignored, "leave a rule out")
        .takes("CODE", "AC02")
        .oneEach()
        .group(kGroup);
    app.addChoice<LintSeverity>("--least", flags->least, kSeverities)
        .describe("the least that is shown: error, warning, note (default)")
        .takes("SEVERITY")
        .group(kGroup);
    app.addChoice<LintSeverity>("--fail-on", flags->failOn, kSeverities)
        .describe("exit status 1 from here on: error (default), warning, note")
        .takes("SEVERITY")
        .group(kGroup);
    app.add("--report", flags->reports, "also write a report: junit=FILE, sarif, github, gitlab, …")
        .takes("FORMAT=FILE", "junit=report.xml")
        .oneOf(formWords(kLintForms))
        .oneEach()
        .group(kGroup);
    addQuestionFlags(app, flags->question, scenarioFlags());
    addFrameworkFlag(app, flags->question);
    return {app, [flags, &options] { return runLint(*flags, options); }};
}

}  // namespace fabricast
