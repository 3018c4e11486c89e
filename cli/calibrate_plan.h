#pragma once
#include "planner/base/result.h"
#include "planner/io/machine_inventory.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

enum class CalibrateEngine { Auto, Cuda, Nccl, Host, Mpi };

/// What calibrate was asked to measure, and with which programs.
struct CalibrateRequest {
    CalibrateEngine engine = CalibrateEngine::Auto;
    std::string suite = "quick";
    double seconds = 300.0;        ///< for all of it
    double silentSeconds = 180.0;  ///< a probe that says nothing for so long is ended
    std::vector<std::string> gpus;
    std::int64_t ranks = 0;
    std::vector<std::string> hosts;
    std::string out;        ///< record file
    std::string probes;     ///< folder of the programs; empty: the usual places
    std::string scratch;    ///< folder whose disk is measured
    std::string tunerDump;  ///< where to write what NCCL itself believes; empty: nowhere
    bool evenIfBusy = false;
};

/// One probe to run: its command but for suite, file and time.
struct ProbeRun {
    std::string engine;  ///< "host", "cuda", "nccl", "mpi"
    std::vector<std::string> command;
    std::vector<std::vector<std::string>> environments{};  ///< of each of its ranks; empty: one
    std::string record;
    double weight = 1.0;  ///< its part of the time, beside the others'
};

struct CalibratePlan {
    std::vector<ProbeRun> runs;
    std::vector<std::string> remarks;  ///< what auto left out, and why
};

/// Finds the programs. Asked by name, a missing one is an error; auto runs those that are there and
/// have something to measure on this machine.
Result<CalibratePlan> planCalibration(const CalibrateRequest& request,
                                      const MachineInventory& machine);

/// "run.jsonl" is "run.cuda.jsonl" where several engines write.
std::string recordOf(const std::string& out, std::string_view engine, bool several);

}  // namespace fabricast
