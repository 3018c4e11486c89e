#pragma once
#include "planner/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A program to run, and how long it may take. It reads nothing, and leads a group of processes of
/// its own, none of which outlives it.
struct ChildRequest {
    std::vector<std::string> command;
    /// "NAME=VALUE" beside our own environment, for each of as many copies that run at once; empty:
    /// one copy.
    std::vector<std::vector<std::string>> environments{};
    double mostSeconds = 0.0;             ///< in all; 0: no bound
    double silentSeconds = 0.0;           ///< without a line on either stream; 0: no bound
    double graceSeconds = 20.0;           ///< from being asked to stop until it is ended
    std::function<bool()> interrupted{};  ///< the user pressed Ctrl-C: passed on, once
    std::function<void(std::string_view line)> onError{};  ///< lines of its standard error
};

/// How it ended.
struct ChildOutcome {
    enum class End { Exited, Killed, Stalled, OutOfTime, Interrupted };
    End end = End::Exited;
    int code = 0;                        ///< of its exit
    int signal = 0;                      ///< that ended it
    std::string out;                     ///< its standard output
    std::vector<std::string> lastLines;  ///< of its standard error, at most ten
};

/// An error: it cannot be started.
Result<ChildOutcome> runChild(const ChildRequest& request);

/// "ended with exit code 4", and its last lines.
std::string endText(const ChildOutcome& outcome);

/// Where a probe program lies: in `folder` if one was named, else beside this program, in ../probes
/// from there (a build folder), or on PATH.
Result<std::string> findProbe(const std::string& name, const std::string& folder);

}  // namespace fabricast
