#pragma once
#include "planner/base/result.h"
#include "planner/measured/machine_inventory.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

enum class CalibrationEngine { Auto, Cuda, Nccl, Host, Mpi };

/// What to measure, and with which programs. Paths are relative to the working directory.
struct MeasureAsk {
    CalibrationEngine engine = CalibrationEngine::Auto;
    std::string suite = "quick";
    double seconds = 300.0;        ///< time budget of all probes together
    double silentSeconds = 180.0;  ///< a probe without output for this long is stopped
    std::vector<std::string> gpus;
    std::int64_t ranks = 0;  ///< 0: as many as the engine needs here
    std::vector<std::string> hosts;
    std::string out;        ///< record file
    std::string probes;     ///< folder of the programs; empty: the usual places
    std::string scratch;    ///< folder whose disk is measured
    std::string tunerDump;  ///< where to write NCCL's own cost estimates; empty: nowhere
    bool evenIfBusy = false;
};

/// One probe to run: its command without suite, file and time budget.
struct ProbeRun {
    std::string engine;  ///< "host", "cuda", "nccl", "mpi"
    std::vector<std::string> command;
    std::vector<std::vector<std::string>>
        environments{};  ///< one for each rank; empty: one process
    bool meets = false;  ///< its ranks need a rendezvous: MASTER_PORT is set when they start
    std::string record;
    double weight = 1.0;  ///< its share of the time, relative to the others
};

struct CalibrationPlan {
    std::vector<ProbeRun> runs;
    std::vector<std::string> remarks;  ///< what auto left out, and why
};

/// Finds the programs. An engine asked for by name is an error where its program is missing; auto
/// takes those that are there and have something to measure on this machine.
Result<CalibrationPlan> planCalibration(const MeasureAsk& ask, const MachineInventory& machine);

/// "run.jsonl" becomes "run.cuda.jsonl" where several engines write.
std::string recordOf(const std::string& out, std::string_view engine, bool several);

}  // namespace fabricast
