#include "study/check.h"

#include "cli/answer_forms.h"
#include "flags/check_outputs.h"
#include "flags/question_arguments.h"
#include "machine/git_commit.h"
#include "planner/report/check_reports.h"
#include "planner/report/check_words.h"
#include "planner/report/html_page.h"
#include "planner/text/text_files.h"
#include "study/baseline.h"
#include "study/check_lock.h"
#include "study/launch_folder.h"
#include "study/requirements.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kOnUnsure = {Choice<OnUnsure>{"fail", OnUnsure::Fail},
                                  Choice<OnUnsure>{"pass", OnUnsure::Pass}};
constexpr std::array kShow = {Choice<CheckShow>{"failed", CheckShow::Failed},
                              Choice<CheckShow>{"all", CheckShow::All}};
constexpr std::array kIfNew = {Choice<NoBaseline>{"fail", NoBaseline::NewFails},
                               Choice<NoBaseline>{"pass", NoBaseline::NewHolds}};

struct CheckFlags {
    QuestionArguments question;
    std::vector<std::string> files;
    std::vector<std::string> require;
    std::vector<std::string> reports;
    std::string baseline;
    std::string mostRegression;
    std::string lock;
    bool updateLock = false;
    OnUnsure onUnsure = OnUnsure::Fail;
    CheckShow show = CheckShow::Failed;
    NoBaseline ifNew = NoBaseline::NewFails;
};

Result<CheckAsk> askOf(const CheckFlags& flags) {
    CheckAsk ask;
    if (!flags.baseline.empty()) {
        ask.withoutBaseline = flags.ifNew;
    }
    for (const std::string& text : flags.require) {
        FABRICAST_ASSIGN(Requirement one, readRequirement(text, "--require"));
        ask.requirements.push_back(std::move(one));
    }
    if (!flags.mostRegression.empty()) {
        if (flags.baseline.empty()) {
            return fail(Error::Code::BadInput,
                        "--max-regression",
                        "there is nothing to compare with",
                        "--baseline git:main, or a file");
        }
        FABRICAST_ASSIGN(ask.kept, noRegression(flags.mostRegression, "--max-regression"));
    }
    return ask;
}

/// Of the keys that are typed twice the first value: what replaces it is a change.
Result<Question> asFirstTyped(Result<Question> question,
                              const QuestionArguments& arguments,
                              const GlobalOptions& options) {
    if (question) {
        FABRICAST_ASSIGN(question->edits, firstSaid(arguments, options));
    }
    return question;
}

Result<CommitFolder> commitFolder(const std::string& ref, const std::string& folder) {
    FABRICAST_ASSIGN(const GitCommit commit, GitCommit::find(ref, folder, "--baseline"));
    return CommitFolder{
        .files = {.name = ref,
                  .text = [commit](const std::string& path) { return commit.text(path); },
                  .isLink = [commit](const std::string& path) { return commit.isLink(path); }},
        .prefix = commit.pathOf(""),
        .names = [commit] { return commit.names(); }};
}

/// The scenario of the files of a run, or of the flags alone, and what it was.
CheckTask taskOf(const CheckFlags& flags,
                 const std::vector<std::string>& files,
                 const GlobalOptions& options) {
    QuestionArguments arguments = flags.question;
    arguments.files = files;
    const std::string file = files.empty() ? "" : files.front();
    CheckTask task{.source = file.empty()  ? "as typed"
                             : file == "-" ? file
                                           : sourceName(file),
                   .question = oneQuestionOf(arguments, options),
                   .baseline = std::nullopt};
    // Flags change the scenario and not what it was, so that a fix can be typed.
    if (!flags.baseline.empty()) {
        // Of a folder it is the file that starts the others.
        const bool isRead = task.question && !task.question->file.empty();
        const std::string& start = isRead ? task.question->file : file;
        std::error_code trouble;
        const bool isFolder = std::filesystem::is_directory(options.at(file), trouble);
        const BaselineAsk ask{
            .typed = flags.baseline,
            .file = start,
            .isFolder = isFolder,
            .beside = isRead ? task.question->given.beside : std::vector<std::string>(),
            .directory = options.directory};
        task.baseline = onTypedHardware(baselineOf(ask, &commitFolder),
                                        asFirstTyped(task.question, arguments, options));
    }
    return task;
}

std::vector<CheckTask> tasksOf(const CheckFlags& flags, const GlobalOptions& options) {
    std::vector<CheckTask> tasks;
    for (const std::vector<std::string>& run : runsAmong(flags.files, options.directory)) {
        tasks.push_back(taskOf(flags, run, options));
    }
    if (flags.files.empty()) {
        tasks.push_back(taskOf(flags, {}, options));
    }
    return tasks;
}

/// What is reported: the outcomes, and what becomes of those of which nobody can tell.
struct Checked {
    std::vector<CheckOutcome> outcomes;
    OnUnsure onUnsure = OnUnsure::Fail;
    CheckShow show = CheckShow::All;
};
using CheckForm = AnswerForm<Checked>;
constexpr std::array kCheckForms = {
    CheckForm{"text", [](const Checked& all) { return checkReport(all.outcomes, all.show); }},
    CheckForm{"json",
              [](const Checked& all) { return checkJson(all.outcomes, FABRICAST_VERSION); }},
    CheckForm{"csv", [](const Checked& all) { return checkCsv(all.outcomes); }},
    CheckForm{"md", [](const Checked& all) { return checkMarkdown(all.outcomes); }},
    CheckForm{"html",
              [](const Checked& all) {
                  return htmlPage(checkReport(all.outcomes, all.show),
                                  {.title = "check",
                                   .tool = "fabricast " FABRICAST_VERSION,
                                   .command = "fabricast check"});
              }},
    CheckForm{"junit", [](const Checked& all) { return checkJunit(all.outcomes, all.onUnsure); }},
    CheckForm{"sarif",
              [](const Checked& all) { return checkSarif(all.outcomes, FABRICAST_VERSION); }},
    CheckForm{"github", [](const Checked& all) { return checkAnnotations(all.outcomes); }},
    CheckForm{"gitlab", [](const Checked& all) { return checkCodeQuality(all.outcomes); }}};

/// What could not be checked is worse than what fails, and that than what nobody can tell.
ExitCode codeOf(const std::vector<CheckOutcome>& outcomes, OnUnsure onUnsure) {
    for (const CheckOutcome& one : outcomes) {
        if (one.error) {
            return exitCodeOf(one.error->code);
        }
    }
    const CheckCount count = countOf(outcomes);
    if (count.failed > 0) {
        return ExitCode::DoesNotFit;
    }
    if (count.notJudged > 0) {
        return ExitCode::CannotTell;
    }
    return count.unsure > 0 && onUnsure == OnUnsure::Fail ? ExitCode::CannotTell : ExitCode::Ok;
}

Result<Answer> runCheck(const CheckFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<ReportFile> reports,
                     reportFiles(flags.reports, kCheckForms));
    FABRICAST_ASSIGN(CheckAsk ask, askOf(flags));
    if (flags.updateLock && flags.lock.empty()) {
        return fail(Error::Code::BadInput,
                    "--update-lock",
                    "there is no lock to write",
                    "--lock fabricast.lock --update-lock");
    }
    const std::vector<CheckTask> tasks = tasksOf(flags, options);
    for (const CheckTask& task : tasks) {  // whatever becomes of the others
        FABRICAST_TRY(checkInputs(task.question, options));
        if (task.baseline && *task.baseline) {
            FABRICAST_TRY(checkInputs(**task.baseline, options));
        }
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const LockFile lock{.typed = flags.lock,
                        .directory = options.directory,
                        .isWritten = flags.updateLock,
                        .version = FABRICAST_VERSION};
    if (!flags.lock.empty()) {
        FABRICAST_ASSIGN(ask.lock, readLock(lock, bench));
    }
    Checked all{.outcomes = {}, .onUnsure = flags.onUnsure};
    FABRICAST_ASSIGN(all.outcomes, checkAll(tasks, ask, bench, options.watch()));
    // One scenario that cannot be checked is an error like any other command's.
    if (all.outcomes.size() == 1 && all.outcomes.front().error) {
        return tl::unexpected(*all.outcomes.front().error);
    }
    std::vector<std::string> remarks;
    if (flags.updateLock) {
        FABRICAST_ASSIGN(std::string written, writeLock(lock, ask.lock.get(), bench, all.outcomes));
        remarks.push_back(std::move(written));
    }
    FABRICAST_ASSIGN(const std::optional<std::string> piped,
                     writeReports(all, reports, kCheckForms, options));
    all.show = flags.show;
    Answer answer = piped ? Answer{.text = *piped} : answerIn(options.format, all, kCheckForms);
    for (const CheckOutcome& one : all.outcomes) {
        if (one.report) {
            answer.leanOn(one.report->side.assumed);
        }
    }
    answer.code = codeOf(all.outcomes, flags.onUnsure);
    answer.remarks = std::move(remarks);
    return answer;
}

}  // namespace

Command checkCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("check", "Check that scenarios still hold what was agreed, for CI");
    const auto flags = std::make_shared<CheckFlags>();
    app.footer(
        "examples:\n"
        "  fabricast check run.json\n"
        "  fabricast check run.json --require 'fits surely' --require 'tokens_per_s >= 1.2M @ "
        "p10'\n"
        "  fabricast check ci/*.json --baseline git:main --max-regression 2% --report "
        "junit=check.xml\n"
        "A requirement is METRIC COMPARISON VALUE [@ p10|p50|p90] [: warn], or \"fits\"; VALUE may "
        "be\n"
        "\"baseline * 0.98\". Those in a scenario's list \"require\" are checked too.\n"
        "Flags change the scenario, not its baseline.\n"
        "Exit status: 0 all hold, 1 one fails, 2 bad input, 3 the interval does not tell.");
    constexpr const char* kGroup = "The check";
    app.add("files", flags->files, "scenarios").takes("[FILE...]");
    app.add("--require", flags->require, "a requirement (default: fits)")
        .takes("EXPRESSION", "fits")
        .oneEach()
        .group(kGroup);
    app.add("--baseline", flags->baseline, "the scenario as it was: a file, or git:REF")
        .takes("FILE")
        .group(kGroup);
    app.add("--max-regression",
            flags->mostRegression,
            "how much slower, or larger in memory, than the baseline")
        .takes("SHARE", "2%")
        .group(kGroup);
    app.addChoice<NoBaseline>("--if-no-baseline", flags->ifNew, kIfNew)
        .describe("fail (default) or pass, where a scenario is new")
        .takes("WHAT")
        .group(kGroup);
    app.add("--lock",
            flags->lock,
            "say what changed since this lock was written, the scenario or the tool")
        .takes("FILE")
        .group(kGroup);
    app.add("--update-lock", flags->updateLock, "write the lock: the forecasts of these scenarios")
        .group(kGroup);
    app.addChoice<OnUnsure>("--uncertain", flags->onUnsure, kOnUnsure)
        .describe("fail (default, exit status 3) or pass")
        .takes("WHAT")
        .group(kGroup);
    app.addChoice<CheckShow>("--show", flags->show, kShow)
        .describe("of several scenarios: failed (default), all")
        .takes("WHAT")
        .group(kGroup);
    app.add("--report", flags->reports, "also write a report: junit=FILE, sarif, github, gitlab, …")
        .takes("FORMAT=FILE", "junit=report.xml")
        .oneOf(formWords(kCheckForms))
        .oneEach()
        .group(kGroup);
    addQuestionFlags(app, flags->question, scenarioFlags());
    addFrameworkFlag(app, flags->question);
    return {app, [flags, &options] { return runCheck(*flags, options); }, true};
}

}  // namespace fabricast
