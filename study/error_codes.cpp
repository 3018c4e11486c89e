#include "planner/base/nearest_name.h"
#include "study/lint.h"
#include "study/reference_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fabricast {
namespace {

/// In the order of Error::Code.
constexpr std::array kErrorCodes = {
    ErrorCode{Error::Code::BadInput,
              "bad_input",
              2,
              "A flag, a file or a value in it cannot be taken as it is, or two of them contradict "
              "each other.",
              "The error names the flag, or file:line:column, and what to write instead."},
    ErrorCode{Error::Code::NotFound,
              "not_found",
              2,
              "A name is not among the models, GPUs, clusters, prices or keys that are known.",
              "The error has the nearest name; fabricast profiles list has all, and --profile-dir "
              "adds your own."},
    ErrorCode{
        Error::Code::Unsupported,
        "unsupported",
        2,
        "The question is sound and not modelled, or the framework does not do this. No number "
        "is given, for it would be a guess.",
        "The error says which part; another stack, layout or setting may be modelled."},
    ErrorCode{
        Error::Code::Environment,
        "environment",
        4,
        "The machine does not do its part: a file cannot be read or written, memory is short, "
        "a program is missing.",
        "fabricast doctor shows what is installed and what is missing."},
    ErrorCode{Error::Code::Internal,
              "internal",
              5,
              "A mistake in fabricast.",
              "Report it with the command line."},
    ErrorCode{Error::Code::Stopped,
              "stopped",
              130,
              "Ctrl-C, or a time limit, ended the command before its answer was complete.",
              "What was measured or searched until then is kept where the command says so."}};

}  // namespace

std::span<const ErrorCode> errorCodes() {
    return kErrorCodes;
}

namespace {

std::string kindText(const ErrorCode& kind) {
    return fmt::format("{}: {}\n  {}\n", kind.name, kind.meaning, kind.next);
}

/// The line of an exit status, and the kinds of errors that end with it; empty if there is none.
std::string statusText(const std::string& status) {
    const std::string topic = exitCodesTopic();
    std::string text;
    for (std::size_t at = 0; at < topic.size(); at = topic.find('\n', at) + 1) {
        if (topic.compare(at, status.size() + 1, status + " ") == 0) {
            text = "exit status " + topic.substr(at, topic.find('\n', at) + 1 - at);
        }
    }
    for (const ErrorCode& kind : kErrorCodes) {
        if (std::to_string(kind.exitStatus) == status) {
            text += kindText(kind);
        }
    }
    return text;
}

}  // namespace

std::string errorCodesText() {
    return "exit status\n" + exitCodesTopic() +
           "130  Ctrl-C\n\n"
           "fabricast errors 2 explains a status, fabricast errors AC02 a finding of lint (all: "
           "fabricast lint --rules)\n";
}

Result<std::string> explainedCode(const std::string& name) {
    if (std::string status = statusText(name); !name.empty() && !status.empty()) {
        return status;
    }
    std::vector<std::string> known;
    for (const ListedRule& rule : lintRules()) {
        if (rule.code == name) {
            return fmt::format("{}  a finding of fabricast lint ({})\n{}\n{}\n",
                               rule.code,
                               nameOf(rule.severity),
                               rule.title,
                               rule.why);
        }
        known.push_back(rule.code);
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    return fail(
        Error::Code::NotFound,
        "errors",
        "unknown code \"" + name + "\": an exit status, or a code of fabricast lint --rules",
        suggestName(name, views));
}

}  // namespace fabricast
