#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace fabricast {

/// A process to be: its words, what its environment has beside ours, its streams, and its group.
struct ProcessStart {
    std::vector<std::string> command;
    std::vector<std::string> environment;  ///< "NAME=VALUE", which count where ours differ
    int out;
    int error;
    int report;   ///< where the errno goes of a program that cannot be run
    pid_t group;  ///< 0: one of its own
};

/// Starts it; below 0: the negative errno of what failed. It reads nothing, and is asked to stop
/// when we die.
pid_t startCopy(ProcessStart start);

}  // namespace fabricast
