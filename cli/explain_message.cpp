#include "cli/explain_message.h"

#include "cli/answer_forms.h"
#include "planner/report/oom_report.h"
#include "planner/text/text_files.h"
#include "study/next_command.h"
#include "study/oom.h"

#include <algorithm>
#include <array>
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

/// The scenario; a log in its place is what people type first.
Result<Question> questionAboutRun(const QuestionArguments& run,
                                  const std::string& message,
                                  const GlobalOptions& options) {
    Result<Question> question = questionOf(run, options);
    const std::string file = run.files.empty() ? "" : run.files.front();
    if (!question && !file.empty() && file != "-" && message == "-") {
        const Result<std::string> text = readTextFile(options.at(file), kMostLogBytes);
        if (text && text->find("out of memory") != std::string::npos) {
            question.error().hint = "fabricast oom --message " + file + ", or oom < " + file;
        }
    }
    return question;
}

}  // namespace

Result<Answer> explainMessage(const QuestionArguments& run,
                              const std::string& message,
                              const GlobalOptions& options) {
    OomAsk ask;
    ask.source = sourceName(message);
    if (knowsRun(run, options)) {
        if (message == "-" && run.files == std::vector<std::string>{"-"}) {
            return fail(Error::Code::BadInput,
                        "--message",
                        "the scenario and the message cannot both be standard input",
                        "name the file of the message: --message job.log");
        }
        FABRICAST_ASSIGN(ask.question, questionAboutRun(run, message, options));
    }
    FABRICAST_ASSIGN(ask.text, readTextFile(options.at(message), kMostLogBytes));
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
