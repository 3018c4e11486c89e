#pragma once
#include "planner/base/result.h"

#include <span>
#include <string>
#include <string_view>

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

}  // namespace fabricast
