#include "cli/explain_message.h"

#include "cli/answer_forms.h"
#include "planner/report/oom_report.h"
#include "planner/text/text_files.h"
#include "study/next_command.h"
#include "study/oom.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Whether anything says which run it was.
bool knowsRun(const QuestionArguments& run, const GlobalOptions& options) {
    return !run.files.empty() || !options.sets.empty() ||
           std::ranges::any_of(run.values, [](const auto& one) { return one.second.has_value(); });
}

using OomForm = AnswerForm<OomAnswer>;
constexpr std::array kOomForms = {
    OomForm{"text", &oomText},
    OomForm{"json", [](const OomAnswer& answer) { return oomJson(answer, FABRICAST_VERSION); }},
    OomForm{"csv", &oomCsv},
    OomForm{"md", &oomMarkdown}};

/// A log or a snapshot among the files of the run is the message: nothing else is made of it.
std::string takeMessage(std::vector<std::string>& files, const GlobalOptions& options) {
    const auto isMessage = [&options](const std::string& file) {
        const Result<std::string> text =
            file == "-" ? Result<std::string>("")
                        : readTextFile(options.at(file), kMostLogBytes, ReadFor::Look);
        return text && isMemoryMessage(*text, file);
    };
    const auto found = std::ranges::find_if(files, isMessage);
    if (found == files.end()) {
        return "-";
    }
    std::string message = std::move(*found);
    files.erase(found);
    return message;
}

/// What is typed in place of a file's name: "CUDA out of memory. Tried to allocate 2.00 GiB".
bool isTypedMessage(const std::string& typed) {
    return (typed.find(' ') != std::string::npos && isMemoryMessage(typed, "")) ||
           typed.find(": ") != std::string::npos;
}

/// Of a file that is no scenario, whatever its name: it may have been meant for the log.
bool isOfLog(const Error& error,
             const std::vector<std::string>& files,
             const GlobalOptions& options) {
    return std::ranges::any_of(files, [&](const std::string& file) {
        if (!error.where.starts_with(file + ":")) {
            return false;
        }
        const Result<std::string> text =
            readTextFile(options.at(file), kMostLogBytes, ReadFor::Look);
        const std::size_t first = text ? text->find_first_not_of(" \t\r\n") : std::string::npos;
        return first != std::string::npos && (*text)[first] != '{' && (*text)[first] != '/';
    });
}

}  // namespace

Result<Answer> explainMessage(QuestionArguments run,
                              std::string message,
                              const GlobalOptions& options) {
    if (message == "-") {
        message = takeMessage(run.files, options);
    }
    OomAsk ask;
    ask.source = sourceName(message);
    if (knowsRun(run, options)) {
        if (message == "-" && run.files == std::vector<std::string>{"-"}) {
            return fail(Error::Code::BadInput,
                        "--message",
                        "the scenario and the message cannot both be standard input",
                        "name the file of the message: --message job.log");
        }
        Result<Question> question = questionOf(run, options);
        if (!question && message == "-" && isOfLog(question.error(), run.files, options)) {
            question.error().why = "there is no out-of-memory message and no memory report in it";
            question.error().hint =
                "a log in which the message of the failure stands, or --message \"CUDA out of "
                "memory. …\"";
        }
        FABRICAST_ASSIGN(ask.question, std::move(question));
    }
    Result<std::string> text = readTextFile(options.at(message), kMostLogBytes);
    if (!text && isTypedMessage(message)) {
        text = message;
        ask.source = "--message";
        message = "-";  // too long to be typed again
    }
    FABRICAST_ASSIGN(ask.text, std::move(text));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(OomAnswer found, explainOom(ask, bench, options.watch()));
    if (options.quiet && found.forecast) {
        found.forecast->notes.clear();
    }
    Answer answer = answerIn(options.format, found, kOomForms);
    if (!options.quiet && options.format == Format::Text) {
        FABRICAST_ASSIGN(const std::string next, nextAfterOom(found, ask.question, message));
        answer.add(next);
    }
    return answer;
}

}  // namespace fabricast
