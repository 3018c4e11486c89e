#pragma once
#include "cli/calibrate_plan.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fabricast {

/// What the command line of calibrate says, as it was typed.
struct CalibrateFlags {
    CalibrateRequest request;
    const char* suite = "quick";
    std::string budget = "5m";
    std::string stall = "3m";
    std::string out;
    std::string profile;
    std::string name;
    std::string machine;
    std::string gpu;
    std::string topology;
    std::vector<std::string> records;
    std::vector<std::string> logs;
    std::vector<std::string> dumps;  ///< of NCCL's tuner
    bool dryRun = false;

    /// Whether it reads what is there, and measures nothing.
    [[nodiscard]] bool reads() const { return !records.empty() || !logs.empty() || !dumps.empty(); }
};

/// Declares them.
void addCalibrateFlags(CLI::App& app, CalibrateFlags& flags);

/// Flags that do not go together. `app` knows which were typed.
Result<void> checkCalibrateFlags(const CLI::App& app, const CalibrateFlags& flags);

}  // namespace fabricast
