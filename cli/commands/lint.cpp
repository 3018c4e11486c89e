#include "study/lint.h"

#include "cli/command.h"
#include "cli/report_files.h"
#include "flags/question_arguments.h"
#include "planner/base/enum_names.h"
#include "planner/base/nearest_name.h"
#include "planner/report/lint_text.h"
#include "planner/report/table.h"
#include "planner/text/json_text.h"
#include "study/launch_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

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

using LintForm = ReportForm<Reports>;
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

std::string lintAnswer(const Reports& all, Format format) {
    switch (format) {
        case Format::Json:
            return lintJson(all, FABRICAST_VERSION);
        case Format::Csv:
            return lintCsv(all);
        case Format::Markdown:
            return lintMarkdown(all);
        case Format::Text:
            break;
    }
    return lintText(all);
}

Table ruleTable() {
    Table table{.columns = {{"code"}, {"severity"}, {"finds"}, {"why"}}, .rows = {}};
    for (const ListedRule& one : lintRules()) {
        table.rows.push_back({one.code, std::string(nameOf(one.severity)), one.title, one.why});
    }
    return table;
}

std::string rulesJson() {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.lint_rules/1");
    json.beginArray("rules");
    for (const ListedRule& one : lintRules()) {
        json.beginObject();
        json.add("code", one.code);
        json.add("severity", nameOf(one.severity));
        json.add("finds", one.title);
        json.add("why", one.why);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

Result<Answer> listRules(const LintFlags& flags, const GlobalOptions& options) {
    if (!flags.files.empty() || !flags.reports.empty()) {
        return fail(Error::Code::BadInput,
                    "--rules",
                    "lists the rules, and looks at no file",
                    "fabricast lint --rules -f csv");
    }
    return Answer{.text = options.format == Format::Json ? rulesJson()
                                                         : tableText(ruleTable(), options.format)};
}

Result<void> checkCodes(const std::vector<std::string>& codes) {
    std::vector<std::string> known;
    for (const ListedRule& one : lintRules()) {
        known.push_back(one.code);
    }
    for (const std::string& code : codes) {
        if (std::ranges::find(known, code) == known.end()) {
            return fail(Error::Code::BadInput,
                        "--ignore",
                        "\"" + code + "\" is no rule",
                        suggestName(code, known));
        }
    }
    return {};
}

std::string placeOf(const std::string& file) {
    return std::filesystem::path(file).lexically_normal().string();
}

/// A file that another one names is looked at with it, and not once more; nor is one that is typed
/// twice, or with its folder.
void leaveOutNamed(Reports& all) {
    std::set<std::string> seen;
    for (const LintReport& one : all) {
        std::transform(
            one.reads.begin() + 1, one.reads.end(), std::inserter(seen, seen.end()), &placeOf);
    }
    std::erase_if(all, [&seen](const LintReport& one) {
        return !seen.insert(placeOf(one.reads.front())).second;
    });
}

/// A file as it is typed, or one of a typed folder, where not every file need be a launch file.
struct LintedFile {
    std::string name;
    bool isOfFolder = false;
};

Result<std::vector<LintedFile>> typedFiles(const LintFlags& flags, const GlobalOptions& options) {
    std::vector<LintedFile> files;
    for (const std::string& typed : flags.files) {
        std::error_code trouble;
        if (!std::filesystem::is_directory(options.at(typed), trouble)) {
            files.push_back({typed});
            continue;
        }
        FABRICAST_ASSIGN(const std::vector<std::string> inside,
                         launchFilesIn(typed, options.directory));
        for (const std::string& one : inside) {
            files.push_back({one, true});
        }
    }
    return files;
}

Result<Reports> lintAll(const LintFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    Reports all;
    FABRICAST_ASSIGN(const std::vector<LintedFile> files, typedFiles(flags, options));
    for (const LintedFile& file : files) {
        QuestionArguments arguments = flags.question;
        arguments.file = file.name;
        Result<LintReport> report = lint(file.name,
                                         options.directory,
                                         questionOf(arguments, options),
                                         flags.ask,
                                         bench,
                                         options.watch());
        if (!report && file.isOfFolder && report.error().code == Error::Code::BadInput) {
            report = notLookedAt(file.name, report.error().why);
        }
        FABRICAST_TRY(report);
        all.push_back(*std::move(report));
    }
    leaveOutNamed(all);
    return all;
}

bool fails(const Reports& all, LintSeverity least) {
    return std::ranges::any_of(all, [least](const LintReport& report) {
        return std::ranges::any_of(
            report.findings, [least](const LintFinding& one) { return one.severity <= least; });
    });
}

Result<Answer> runLint(const LintFlags& flags, const GlobalOptions& options) {
    if (flags.rules) {
        return listRules(flags, options);
    }
    if (flags.files.empty()) {
        return fail(
            Error::Code::BadInput, "lint", "needs a launch file", "fabricast lint train.sh");
    }
    FABRICAST_TRY(checkCodes(flags.ask.ignored));
    FABRICAST_ASSIGN(const std::vector<ReportFile> reports,
                     reportFiles(flags.reports, formNames<Reports>(kLintForms)));
    FABRICAST_ASSIGN(Reports all, lintAll(flags, options));
    const bool isFailed = fails(all, flags.failOn);
    for (LintReport& report : all) {
        std::erase_if(report.findings,
                      [&flags](const LintFinding& one) { return one.severity > flags.least; });
    }
    FABRICAST_ASSIGN(const std::optional<std::string> piped,
                     writeReports<Reports>(all, reports, kLintForms, options));
    return Answer{.text = piped ? *piped : lintAnswer(all, options.format),
                  .code = isFailed ? ExitCode::DoesNotFit : ExitCode::Ok};
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
        .takes("CODE")
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
        .takes("FORMAT=FILE")
        .oneEach()
        .group(kGroup);
    addQuestionFlags(app, flags->question, scenarioFlags());
    return {app, [flags, &options] { return runLint(*flags, options); }};
}

}  // namespace fabricast
