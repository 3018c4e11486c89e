#pragma once
#include "probes/tuner/cost_file.h"
#include "probes/tuner/tuner_abi.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

namespace fabricast::probe {

/// The variable that names the file.
inline constexpr const char* kDumpVariable = "FABRICAST_TUNER_DUMP";

/// This is what a process writes of NCCL's costs: every line once, however many communicators and
/// steps ask for it. What goes wrong is said once in NCCL's log, and ends the writing, not the
/// process.
class CostDump {
public:
    /// The one of this process, for as long as anybody holds it; nothing without the variable, or
    /// where the file cannot be had.
    static std::shared_ptr<CostDump> ofProcess(NcclLog log);

    explicit CostDump(std::unique_ptr<CostFile> file) : file_(std::move(file)) {}
    /// From any thread.
    void add(const NcclCosts& costs, NcclLog log);

private:
    void write(const std::string& line, NcclLog log);

    std::mutex mutex_;
    std::unique_ptr<CostFile> file_;  ///< nothing once it could not be written
    std::unordered_set<std::string> seen_;
};

}  // namespace fabricast::probe
