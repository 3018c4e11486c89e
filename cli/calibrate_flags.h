#pragma once
#include "flags/command_line.h"
#include "machine/calibration_plan.h"

#include <string>
#include <vector>

namespace fabricast {

/// The command line of calibrate, as typed.
struct CalibrateFlags {
    MeasureAsk measure;
    const char* suite = "quick";
    std::string budget = "5m";
    std::string stall = "3m";
    std::string out;
    std::string profile;
    bool force = false;
    std::string name;
    std::string machine;
    std::string gpu;
    std::string topology;
    std::vector<std::string> records;
    std::vector<std::string> logs;
    std::vector<std::string> dumps;  ///< of NCCL's tuner
    bool dryRun = false;

    /// Whether it reads earlier measurements instead of measuring.
    [[nodiscard]] bool reads() const { return !records.empty() || !logs.empty() || !dumps.empty(); }
};

/// Declares them.
void addCalibrateFlags(const FlagSet& app, CalibrateFlags& flags);

/// Flags that exclude each other. `app` knows which were typed.
Result<void> checkCalibrateFlags(const FlagSet& app, const CalibrateFlags& flags);

}  // namespace fabricast
