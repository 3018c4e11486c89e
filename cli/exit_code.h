#pragma once
#include "planner/base/result.h"

namespace fabricast {

/// What a script reads.
/// 130 is what a shell says of a program that Ctrl-C ended.
enum class ExitCode {
    Ok = 0,
    DoesNotFit = 1,
    BadInput = 2,
    CannotTell = 3,  ///< what was to be checked lies inside the interval
    Environment = 4,
    Bug = 5,
    Interrupted = 130
};

constexpr ExitCode exitCodeOf(Error::Code code) {
    switch (code) {
        case Error::Code::Environment:
            return ExitCode::Environment;
        case Error::Code::Internal:
            return ExitCode::Bug;
        case Error::Code::BadInput:
        case Error::Code::NotFound:
        case Error::Code::Unsupported:
            return ExitCode::BadInput;
        case Error::Code::Stopped:
            return ExitCode::Interrupted;
    }
    return ExitCode::Bug;
}

}  // namespace fabricast
