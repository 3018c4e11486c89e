#include "cli/calibrate_measure.h"

#include "cli/ask_machine.h"
#include "cli/calibrate_check.h"
#include "cli/calibrate_report.h"
#include "cli/calibrate_run.h"
#include "planner/io/recognise_machine.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

/// The machine whose collectives these are, where nobody said it: a node profile that nothing
/// speaks against.
Result<void> guessMachine(const ProfileStore& store,
                          const MachineInventory& machine,
                          CalibrateFit& fit,
                          std::vector<std::string>& remarks) {
    if (!fit.options.machine.empty() || machine.gpus.empty()) {
        return {};
    }
    const MachineInventory::Gpu& first = machine.gpus.front();
    FABRICAST_ASSIGN(const auto gpu,
                     recogniseGpu(store, first.name, first.memory, first.architecture));
    if (!gpu) {
        return {};
    }
    FABRICAST_ASSIGN(const auto nodes, likelyNodes(store, machine, *gpu));
    if (!nodes.empty() && nodes.front().unlike.empty()) {
        fit.options.machine = nodes.front().name;
        remarks.push_back("taken for " + fit.options.machine + ": --machine NAME says otherwise");
    }
    return {};
}

/// Only auto must know the machine; the others can do without the host probe.
Result<MachineInventory> machineFor(const CalibrateRequest& request, const GlobalOptions& options) {
    Result<MachineInventory> machine = askMachine(request.probes, options);
    return machine || request.engine == CalibrateEngine::Auto ? std::move(machine)
                                                              : MachineInventory{};
}

/// Nothing was measured: what went wrong is all there is to say, and is said even with --quiet.
Result<Answer> nothingMeasured(Answer answer) {
    if (answer.code == ExitCode::Interrupted) {
        return answer;
    }
    std::string why = "nothing was measured";
    for (const std::string& remark : answer.remarks) {
        why += "\n" + remark;
    }
    return fail(
        answer.code == ExitCode::BadInput ? Error::Code::BadInput : Error::Code::Environment,
        "calibrate",
        why);
}

/// What NCCL says of its costs is written by NCCL's own process, which goes on without.
void tellDump(const CalibrateRequest& request, const CalibratePlan& plan, Answer& answer) {
    if (request.tunerDump.empty()) {
        return;
    }
    const bool asked =
        std::ranges::any_of(plan.runs, [](const ProbeRun& run) { return run.engine == "nccl"; });
    std::error_code ignored;
    if (!asked || std::filesystem::file_size(request.tunerDump, ignored) == 0 || ignored) {
        answer.remarks.push_back("--tuner-dump: nothing is in " + request.tunerDump + ": " +
                                 (asked ? "NCCL_DEBUG=WARN says why" : "NCCL was not measured"));
    } else {
        answer.remarks.push_back("NCCL's own estimates are in " + request.tunerDump +
                                 ": fabricast calibrate --from-nccl-tuner compares them");
    }
}

}  // namespace

Result<Answer> dryCalibration(const CalibrateRequest& request, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const MachineInventory machine, machineFor(request, options));
    FABRICAST_TRY(checkAgainstMachine(request, machine));
    FABRICAST_ASSIGN(const CalibratePlan plan, planCalibration(request, machine));
    FABRICAST_ASSIGN(const std::vector<PlannedRun> runs, listCalibration(plan, request, options));
    return Answer{.text = options.format == Format::Json ? dryJson(runs, plan.remarks)
                                                         : dryText(runs, options.verbose),
                  .remarks = plan.remarks};
}

Result<Answer> measureAndFit(const CalibrateRequest& request,
                             const ProfileStore& store,
                             CalibrateFit fit,
                             const GlobalOptions& options) {
    FABRICAST_ASSIGN(const MachineInventory found, machineFor(request, options));
    FABRICAST_TRY(checkAgainstMachine(request, found));
    FABRICAST_ASSIGN(const CalibratePlan plan, planCalibration(request, found));
    CalibrateOutcome outcome = runCalibration(plan, request, options);
    Answer answer{.code = outcome.code, .remarks = plan.remarks};
    answer.remarks.insert(answer.remarks.end(), outcome.remarks.begin(), outcome.remarks.end());
    tellDump(request, plan, answer);
    if (outcome.records.empty()) {
        return nothingMeasured(std::move(answer));
    }
    CalibrationReport report{.engines = std::move(outcome.engines), .records = outcome.records};
    FABRICAST_ASSIGN(report.measured, readMeasurements(outcome.records));
    FABRICAST_TRY(guessMachine(store, found, fit, answer.remarks));
    return reportCalibration(store, std::move(report), fit, options, std::move(answer));
}

Result<Answer> reportCalibration(const ProfileStore& store,
                                 CalibrationReport report,
                                 const CalibrateFit& fit,
                                 const GlobalOptions& options,
                                 Answer answer) {
    if (answer.code == ExitCode::Interrupted) {
        report.notFitted = "measuring was interrupted";
    } else if (fit.folder.empty()) {
        report.notFitted = "no --profile was given";
    } else {
        Result<CalibratedProfile> profile = fitCalibration(store, report.measured, fit, options);
        if (profile) {
            report.profile = *std::move(profile);
        } else if (report.engines.empty()) {
            return tl::unexpected(std::move(profile).error());
        } else {
            // What was measured is shown, and the records stay.
            report.notFitted = profile.error().text();
            answer.remarks.push_back("error: not fitted: " + report.notFitted);
            answer.code = std::max(answer.code, exitCodeOf(profile.error().code));
        }
    }
    report.remarks = answer.remarks;
    answer.text =
        options.format == Format::Json ? calibrationJson(report) : calibrationText(report);
    return answer;
}

}  // namespace fabricast
