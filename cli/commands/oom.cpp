#include "study/oom.h"

#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/report/oom_report.h"
#include "planner/text/text_file.h"

#include <algorithm>
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
        return question.file || !options.sets.empty() ||
               std::ranges::any_of(question.values,
                                   [](const auto& one) { return one.second.has_value(); });
    }
};

/// The first way out that fits; nothing where none does.
const Fix* firstWayOut(const OomAnswer& answer) {
    for (const Verdict verdict : {Verdict::Fits, Verdict::Likely}) {
        for (const Rejection& rejection : answer.forecast->rejections) {
            const auto fits = std::ranges::find(rejection.fixes, verdict, &Fix::verdict);
            if (fits != rejection.fixes.end()) {
                return &*fits;
            }
        }
    }
    return nullptr;
}

/// The way out as a whole command; where there is none, the run's own memory.
Result<std::string> nextAfterOom(const OomAnswer& answer,
                                 const std::optional<Question>& run,
                                 const OomFlags& flags) {
    if (!answer.forecast || !run) {
        const std::string log = flags.message == "-" ? "" : " --message " + flags.message;
        return "\nnext: fabricast oom SCENARIO" + log +
               "   (with the run's scenario or flags: what is larger than forecast, and the ways "
               "out with their numbers)\n";
    }
    const Fix* const way = firstWayOut(answer);
    FABRICAST_ASSIGN(const Question changed,
                     with(*run, way == nullptr ? std::vector<Edit>() : way->edits));
    return nextLine("explain", changed);
}

Result<std::string> printedOom(const OomAnswer& answer,
                               const std::optional<Question>& run,
                               const OomFlags& flags,
                               const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return oomJson(answer, FABRICAST_VERSION);
        case Format::Csv:
            return oomCsv(answer);
        case Format::Markdown:
            return oomMarkdown(answer);
        case Format::Text:
            break;
    }
    FABRICAST_ASSIGN(const std::string next, nextAfterOom(answer, run, flags));
    return oomText(answer) + (options.quiet ? "" : next);
}

/// The scenario; a log in its place is what people type first.
Result<Question> questionAboutRun(const OomFlags& flags, const GlobalOptions& options) {
    Result<Question> question = questionOf(flags.question, options);
    const std::string file = flags.question.file.value_or("");
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
        if (flags.message == "-" && flags.question.file == "-") {
            return fail(Error::Code::BadInput,
                        "--message",
                        "the scenario and the message cannot both be standard input",
                        "name the file of the message: --message job.log");
        }
        FABRICAST_ASSIGN(ask.question, questionAboutRun(flags, options));
    }
    FABRICAST_ASSIGN(ask.text, readTextFile(options.at(flags.message), kMostLogBytes));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(OomAnswer answer, explainOom(ask, bench, options.watch()));
    if (options.quiet && answer.forecast) {
        answer.forecast->notes.clear();
    }
    FABRICAST_ASSIGN(std::string text, printedOom(answer, ask.question, flags, options));
    return Answer{.text = std::move(text)};
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
