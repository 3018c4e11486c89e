#pragma once
#include "planner/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A kind of error as scripts know it: what it means, and what to do.
struct ErrorCode {
    Error::Code code = Error::Code::BadInput;
    std::string_view name;
    int exitStatus = 2;
    std::string_view meaning;
    std::string_view next;
};

std::span<const ErrorCode> errorCodes();

/// The list of exit statuses.
std::string errorCodesText();
/// What a code means: an exit status ("2"), or that of a rule of `lint`.
Result<std::string> explainedCode(const std::string& name);

/// What `fabricast help TOPIC` explains beside the commands.
struct HelpTopic {
    std::string_view name;
    std::string (*text)();
};
/// By name.
std::span<const HelpTopic> helpTopics();

/// What an exit status means, a line each.
std::string exitCodesTopic();

/// Of which files and answers there is a JSON Schema: "scenario", "plan", "gpu", …, by name.
std::vector<std::string> schemaNames();

/// The JSON Schema of an input or an answer. A scenario's has every key of layout and settings that
/// is read, with the values it can have.
///     FABRICAST_ASSIGN(const std::string schema, schemaText("scenario"));
Result<std::string> schemaText(std::string_view name);

/// What a key of a layout ("tp") or a setting ("settings.kernels.loss") means, in a line; empty for
/// a key that there is not.
std::string_view meaningOf(std::string_view key);

}  // namespace fabricast
