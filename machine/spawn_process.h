#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace fabricast {

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
