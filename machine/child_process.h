#pragma once
#include "planner/base/result.h"

#include <sys/types.h>

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A program to run, and how long it may take. It reads nothing, and leads a process group of its
/// own; no process of that group outlives the call.
///     FABRICAST_ASSIGN(const ChildOutcome outcome, runChild({.command = {"/bin/true"}}));
struct ChildRequest {
    std::vector<std::string> command;
    /// "NAME=VALUE" in addition to our own environment, for each of as many copies that run at
    /// once; empty: one copy.
    std::vector<std::vector<std::string>> environments{};
    int inherited = -1;          ///< a descriptor for the first copy only, closed here; -1: none
    double mostSeconds = 0.0;    ///< in all; 0: no limit
    double silentSeconds = 0.0;  ///< without output on either stream; 0: no limit
    double graceSeconds = 20.0;  ///< between the request to stop and the kill; 0: killed at once
    std::stop_token stop{};      ///< asks it to end, once, as Ctrl-C does
    std::function<void(std::string_view line)> onError{};  ///< lines of its standard error
};

/// How it ended.
struct ChildOutcome {
    enum class End { Exited, Killed, Stalled, OutOfTime, Interrupted };
    End end = End::Exited;
    int code = 0;                        ///< exit code
    int signal = 0;                      ///< that killed it
    std::string out;                     ///< its standard output
    std::vector<std::string> lastLines;  ///< of its standard error, at most ten
};

/// An error: it cannot be started.
Result<ChildOutcome> runChild(const ChildRequest& request);

/// "ended with exit code 4", and its last lines.
std::string endText(const ChildOutcome& outcome);

/// A process to start: its command line, what its environment has in addition to ours, its streams
/// and its process group.
struct ProcessStart {
    std::vector<std::string> command;
    std::vector<std::string> environment;  ///< "NAME=VALUE"; these win over ours
    int out;
    int error;
    int report;          ///< receives the errno of a program that cannot be run
    pid_t group;         ///< 0: a new one
    int inherited = -1;  ///< stays open in it under the same number; -1: none
};

/// Starts it. Below 0: the negative errno of what failed. Its standard input is empty, and it gets
/// SIGTERM when we die.
pid_t spawnProcess(ProcessStart start);

}  // namespace fabricast
