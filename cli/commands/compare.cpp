#include "study/compare.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/answer_json.h"
#include "planner/report/comparison_report.h"
#include "study/launch_folder.h"
#include "study/percent.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

struct CompareFlags {
    QuestionArguments question;
    std::vector<std::string> files;
    std::vector<std::string> changes;  ///< of the first scenario, a side each
    std::string baseline = "A";
    std::string leastChange = "0%";
    bool all = false;
};

/// Of which several values may be typed: none of them has a comma of its own.
constexpr std::array<std::string_view, 12> kSideFlags = {"--stack",
                                                         "-m",
                                                         "-c",
                                                         "--gpu",
                                                         "-n",
                                                         "--gpus",
                                                         "--fabric",
                                                         "--seq",
                                                         "--global-batch",
                                                         "--precision",
                                                         "--optimizer",
                                                         "--tuning"};

/// "--stack fsdp2,megatron", "-c dgx-h100,dgx-h200": the first value is that of the scenario, and
/// each other one a side.
Result<std::vector<std::string>> takeValues(CompareFlags& flags, std::size_t runs) {
    std::vector<std::string> sides;
    std::string first;
    for (const std::string_view flag : kSideFlags) {
        auto& typed = flags.question.values[flag];
        if (!typed || typed->find(',') == std::string::npos) {
            continue;
        }
        const std::string name(flag);
        if (runs > 1) {
            return fail(Error::Code::BadInput,
                        name,
                        "several values are sides of one scenario, and there are " +
                            std::to_string(runs) + " files",
                        "one file, or one value");
        }
        if (!first.empty()) {
            return fail(Error::Code::BadInput,
                        name,
                        "and " + first + " have several values each: which go together?",
                        "one of them, or a side each: --with \"" + first + " … " + name + " …\"");
        }
        FABRICAST_ASSIGN(sides, sidesOfValues(name, *typed));
        typed->resize(typed->find(','));
        first = name;
    }
    return sides;
}

struct ShownComparison {
    Comparison sides;
    ComparisonView view;
};
using ComparisonForm = AnswerForm<ShownComparison>;
constexpr std::array kComparisonForms = {
    ComparisonForm{
        "text", [](const ShownComparison& all) { return comparisonReport(all.sides, all.view); }},
    ComparisonForm{"json",
                   [](const ShownComparison& all) {
                       return comparisonJson(all.sides, all.view.leastChange, FABRICAST_VERSION);
                   }},
    ComparisonForm{"csv", [](const ShownComparison& all) { return comparisonCsv(all.sides); }},
    ComparisonForm{
        "md", [](const ShownComparison& all) { return comparisonMarkdown(all.sides, all.view); }}};

Result<Answer> runCompare(CompareFlags flags, const GlobalOptions& options) {
    const std::vector<std::vector<std::string>> runs = runsAmong(flags.files, options.directory);
    FABRICAST_ASSIGN(std::vector<std::string> changes, takeValues(flags, runs.size()));
    changes.insert(changes.end(), flags.changes.begin(), flags.changes.end());
    FABRICAST_ASSIGN(const double least, percentOf(flags.leastChange, "--min-change"));
    FABRICAST_ASSIGN(const std::vector<Question> questions,
                     questionsOf(flags.question, runs, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    CompareAsk ask{.changes = {}, .baseline = flags.baseline};
    for (const std::string& typed : changes) {
        FABRICAST_ASSIGN(ChangedSide side, changedSide(typed, "--with"));
        ask.changes.push_back(std::move(side));
    }
    FABRICAST_ASSIGN(Comparison comparison, compare(questions, ask, bench, options.watch()));
    std::vector<std::string> notes;
    for (const ComparedSide& side : comparison.sides) {
        for (const std::string& note : side.assumed) {
            notes.push_back(side.name + ": " + note);
        }
    }
    Answer answer =
        answerIn(options.format,
                 ShownComparison{std::move(comparison), {.leastChange = least, .all = flags.all}},
                 kComparisonForms);
    answer.leanOn(notes);
    return answer;
}

}  // namespace

Command compareCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command("compare", "Compare scenarios, and explain the difference");
    const auto flags = std::make_shared<CompareFlags>();
    app.footer(
        "examples:\n"
        "  fabricast compare base.json other.json\n"
        "  fabricast compare base.json --with layout.recompute=full\n"
        "  fabricast compare base.json --stack fsdp2,megatron,deepspeed\n"
        "  fabricast compare base.json -c dgx-h100,dgx-h200\n"
        "  fabricast compare base.json --with \"--stack megatron --layout tp=2\"\n"
        "  fabricast compare base.json --with cluster.fabric=roce-100 --with \"layout.tp=4 "
        "layout.pp=2\"\n"
        "Flags and --set override a key of every side; each --with, and each further value of a\n"
        "flag, adds a side.");
    constexpr const char* kGroup = "The comparison";
    app.add("files", flags->files, "scenarios, or answers of explain -f json").takes("[FILE...]");
    addQuestionFlags(app, flags->question, scenarioFlags());
    addFrameworkFlag(app, flags->question);
    app.add("--with", flags->changes, "add a side: the first one with these keys overridden")
        .takes("CHANGES", "layout.recompute=full")
        .oneEach()
        .group(kGroup);
    app.add("--baseline", flags->baseline, "the baseline side (default: A)")
        .takes("NAME", "A")
        .group(kGroup);
    app.add("--min-change", flags->leastChange, "hide smaller changes (default: none)")
        .takes("SHARE", "1%")
        .group(kGroup);
    app.add("--all", flags->all, "show everything").group(kGroup);
    return {app, [flags, &options] { return runCompare(*flags, options); }, true};
}

}  // namespace fabricast
