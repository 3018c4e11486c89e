#pragma once
#include "planner/base/result.h"

namespace fabricast {

/// What a script reads. Kept for later commands: 3, the answer lies inside the interval.
/// 130 is what a shell says of a program that Ctrl-C ended.
enum class ExitCode {
    Ok = 0,
    DoesNotFit = 1,
    BadInput = 2,
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
