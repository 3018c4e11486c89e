#include "study/oom.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/oom_report.h"
#include "planner/text/text_files.h"
#include "study/next_command.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Of a log: the messages stand at its end, but a job may have printed much before.
constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

struct OomFlags {
    QuestionArguments question;
    std::string message = "-";

    /// Whether anything says which run it was.
    [[nodiscard]] bool knowsRun(const GlobalOptions& options) const {
        return !question.files.empty() || !options.sets.empty() ||
               std::ranges::any_of(question.values,
                                   [](const auto& one) { return one.second.has_value(); });
    }
};

using OomForm = AnswerForm<OomAnswer>;
constexpr std::array kOomForms = {
    OomForm{"text", &oomText},
    OomForm{"json", [](const OomAnswer& answer) { return oomJson(answer, FABRICAST_VERSION); }},
    OomForm{"csv", &oomCsv},
    OomForm{"md", &oomMarkdown}};

/// The scenario; a log in its place is what people type first.
Result<Question> questionAboutRun(const OomFlags& flags, const GlobalOptions& options) {
    Result<Question> question = questionOf(flags.question, options);
    const std::string file = flags.question.files.empty() ? "" : flags.question.files.front();
    if (!question && !file.empty() && file != "-" && flags.message == "-") {
        const Result<std::string> text = readTextFile(options.at(file), kMostLogBytes);
        if (text && text->find("out of memory") != std::string::npos) {
            question.error().hint = "fabricast oom --message " + file + ", or oom < " + file;
        }
    }
    return question;
}

Result<Answer> runOom(const OomFlags& flags, const GlobalOptions& options) {
    OomAsk ask;
    ask.source = sourceName(flags.message);
    if (flags.knowsRun(options)) {
        if (flags.message == "-" && flags.question.files == std::vector<std::string>{"-"}) {
            return fail(Error::Code::BadInput,
                        "--message",
                        "the scenario and the message cannot both be standard input",
                        "name the file of the message: --message job.log");
        }
        FABRICAST_ASSIGN(ask.question, questionAboutRun(flags, options));
    }
    FABRICAST_ASSIGN(ask.text, readTextFile(options.at(flags.message), kMostLogBytes));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(OomAnswer found, explainOom(ask, bench, options.watch()));
    if (options.quiet && found.forecast) {
        found.forecast->notes.clear();
    }
    Answer answer = answerIn(options.format, found, kOomForms);
    if (!options.quiet && options.format == Format::Text) {
        FABRICAST_ASSIGN(const std::string next, nextAfterOom(found, ask.question, flags.message));
        answer.add(next);
    }
    return answer;
}

}  // namespace

Command oomCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("oom", "Explain an out-of-memory message, and find ways out");
    app.footer(
        "The message is PyTorch's \"CUDA out of memory. Tried to allocate …\" (a whole log may be "
        "given: the\nfullest message of it is taken), Megatron's \"memory (MB) | allocated: …\" or "
        "DeepSpeed's \"MA … Max_MA …\".\n"
        "examples:\n"
        "  fabricast oom < job.log\n"
        "  fabricast oom run.json --message job.log\n"
        "  fabricast oom -m llama-3.1-8b --gpu a100 --gpus 8 --stack fsdp2 --seq 8192 --message "
        "job.log");
    const auto flags = std::make_shared<OomFlags>();
    addScenarioArguments(app, flags->question);
    app.add("--message", flags->message, "the file with the message (default: standard input)")
        .takes("FILE");
    return {app, [flags, &options] { return runOom(*flags, options); }};
}

}  // namespace fabricast
