#include "machine/calibrate.h"

#include "machine/calibration.h"
#include "machine/imported_record.h"
#include "machine/inventory_probe.h"
#include "planner/measured/recognise_machine.h"
#include "probes/fit/fit_demands.h"
#include "probes/record/record_file.h"
#include "probes/record/record_lock.h"
#include "probes/record/utc_now.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

using Status = EngineOutcome::Status;

/// Collectives belong to a machine: where none is given, a node profile that matches in everything.
Result<void> guessMachine(const ProfileStore& store,
                          const MachineInventory& machine,
                          FitAsk& fit,
                          std::vector<std::string>& remarks) {
    if (!fit.machine.empty() || machine.gpus.empty()) {
        return {};
    }
    const MachineInventory::Gpu& first = machine.gpus.front();
    FABRICAST_ASSIGN(const auto gpu, recogniseGpu(store, seenGpu(first)));
    if (!gpu) {
        return {};
    }
    FABRICAST_ASSIGN(const auto nodes, likelyNodes(store, machine, *gpu));
    if (!nodes.empty() && nodes.front().unlike.empty()) {
        fit.machine = nodes.front().name;
        remarks.push_back("assuming " + fit.machine + " (override with --machine NAME)");
    }
    return {};
}

/// Only auto must know the machine; the others can do without the host probe.
Result<MachineInventory> machineFor(const MeasureAsk& ask, const Watch& watch) {
    Result<MachineInventory> machine = machineInventory({.probes = ask.probes}, watch);
    return machine || ask.engine == CalibrationEngine::Auto ? std::move(machine)
                                                            : MachineInventory{};
}

struct CheckedPlan {
    FitAsk fit;
    MachineInventory machine;
    CalibrationPlan plan;
    std::vector<std::string> assumed{};  ///< remarks
};

/// What another calibration is writing would be taken for what this one has measured, and neither
/// notes nor what was measured in the future are gone on with.
Result<void> checkRecordsFree(const CalibrationPlan& plan) {
    for (const ProbeRun& run : plan.runs) {
        std::error_code error;
        const bool exists = std::filesystem::exists(run.record, error);
        const probe::Done isFree =
            exists ? probe::isRecordFree(run.record) : probe::Done(std::monostate());
        if (!isFree) {
            return fail(Error::Code::Environment, "--out", isFree.trouble().why);
        }
        const probe::Done sound =
            exists ? probe::RecordFile::check(run.record) : probe::Done(std::monostate());
        if (!sound) {
            return fail(
                Error::Code::BadInput, "--out", sound.trouble().why, "--out and another file");
        }
        const std::vector<std::string> path = {run.record};
        if (std::filesystem::is_regular_file(run.record, error)) {
            if (const auto record = readMeasurements(path)) {
                FABRICAST_TRY(checkDays(*record, latestDay(), latestTime()));
            }
        }
    }
    return {};
}

/// All that happens before the first probe.
Result<CheckedPlan> checkedPlan(const CalibrationAsk& ask,
                                const ProfileStore& store,
                                const Watch& watch) {
    CheckedPlan checked{.fit = ask.fit};
    if (!ask.measure.tunerDump.empty() && !ask.fit.folder.empty()) {
        return fail(Error::Code::BadInput,
                    "--tuner-dump",
                    "is not for a run that a profile is made of: with a tuner plugin NCCL may "
                    "choose otherwise",
                    "run once without --profile, and once without --tuner-dump");
    }
    FABRICAST_TRY(checkMeasuring(ask.measure));
    FABRICAST_ASSIGN(checked.fit.name, profileNameFor(ask.fit, ask.measure.out));
    FABRICAST_TRY(checkFit(ask.fit, store));
    FABRICAST_ASSIGN(checked.machine, machineFor(ask.measure, watch));
    FABRICAST_TRY(checkAgainstMachine(ask.measure, checked.machine));
    FABRICAST_ASSIGN(checked.plan, planCalibration(ask.measure, checked.machine));
    FABRICAST_TRY(checkRecordsFree(checked.plan));
    FABRICAST_TRY(guessMachine(store, checked.machine, checked.fit, checked.assumed));
    FABRICAST_TRY(checkPlannedFit(checked.fit, checked.plan, checked.machine, store));
    return checked;
}

/// What a probe wrote, in one line of an error.
std::string inOneLine(const std::string& remark) {
    std::string text;
    std::istringstream lines(remark);
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, line.find_first_not_of(" \t"));
        text += line.empty() ? "" : "; " + line;
    }
    return text;
}

Error nothingMeasured(const CalibrationReport& report) {
    std::string why = "nothing was measured";
    for (const std::string& remark : report.remarks) {
        why += inOneLine(remark);
    }
    const bool badInput = std::ranges::all_of(report.engines, [](const EngineOutcome& engine) {
        return engine.status == Status::BadInput;
    });
    const char* const hint =
        badInput ? "--out and another file, or as the probe says"
        : why.find(": cannot be written: ") != std::string::npos
            ? "--out and a file in a folder that takes new ones, on a disk with room"
            : "the same with --dry-run lists the probes and what each would measure";
    return {badInput ? Error::Code::BadInput : Error::Code::Environment,
            "calibrate",
            std::move(why),
            hint};
}

/// NCCL itself writes its estimates, and carries on where it cannot.
void remarkDump(const MeasureAsk& ask, const CalibrationPlan& plan, CalibrationReport& report) {
    if (ask.tunerDump.empty()) {
        return;
    }
    const bool asked =
        std::ranges::any_of(plan.runs, [](const ProbeRun& run) { return run.engine == "nccl"; });
    std::error_code ignored;
    if (!asked || std::filesystem::file_size(ask.tunerDump, ignored) == 0 || ignored) {
        report.remarks.push_back(
            "--tuner-dump: " + ask.tunerDump + " is empty: " +
            (asked ? "run again with NCCL_DEBUG=WARN to see why" : "NCCL was not measured"));
    } else {
        report.remarks.push_back("NCCL's own estimates are in " + ask.tunerDump +
                                 "; compare them with fabricast calibrate --from-nccl-tuner");
    }
}

void tellWrong(CalibrationReport& report) {
    const std::vector<RecordedPoint>& points = report.measured.points;
    report.wrong = static_cast<std::size_t>(std::ranges::count_if(
        points, [](const RecordedPoint& point) { return point.fact("wrong", 0.0) != 0.0; }));
    if (report.wrong > 0) {
        report.remarks.push_back(std::to_string(report.wrong) + " of " +
                                 std::to_string(points.size()) +
                                 " points computed wrong results and are left out");
    }
}

/// Fits what a report has measured, where a folder is given.
Result<void> fitReport(const ProfileStore& store, const FitAsk& ask, CalibrationReport& report) {
    report.fit = ask;
    if (report.has(Status::Interrupted)) {
        report.notFitted = "measuring was interrupted";
        return {};
    }
    if (ask.folder.empty()) {
        report.notFitted = "no --profile was given";
        return {};
    }
    const std::size_t points = report.measured.points.size();
    Result<CalibratedProfile> profile = fitCalibration(store, report.measured, ask);
    if (profile) {
        report.profile = *std::move(profile);
        std::ranges::copy(report.profile->fitted.remarks, std::back_inserter(report.remarks));
    } else if (report.wrong == points && points > 0) {
        report.notFitted = profile.error().text();  // and that is the reason
    } else if (report.engines.empty()) {
        return tl::unexpected(std::move(profile).error());
    } else {
        // What was measured is still shown, and the records stay.
        report.notFitted = profile.error().text();
        report.fault = profile.error().code;
        report.remarks.push_back("error: not fitted: " + report.notFitted);
    }
    return {};
}

}  // namespace

bool CalibrationReport::has(EngineOutcome::Status status) const {
    return std::ranges::find(engines, status, &EngineOutcome::status) != engines.end();
}

Result<CalibrationPreview> previewCalibration(const CalibrationAsk& ask,
                                              const ProfileStore& store,
                                              const Watch& watch) {
    FABRICAST_ASSIGN(CheckedPlan checked, checkedPlan(ask, store, watch));
    CalibrationPreview preview{.remarks = checked.plan.remarks};
    FABRICAST_ASSIGN(preview.runs, listPoints(checked.plan, ask.measure, watch));
    return preview;
}

Result<CalibrationReport> calibrate(const CalibrationAsk& ask,
                                    const ProfileStore& store,
                                    const Watch& watch) {
    FABRICAST_ASSIGN(CheckedPlan checked, checkedPlan(ask, store, watch));
    ProbesOutcome outcome = runProbes(checked.plan, ask.measure, watch);
    CalibrationReport report{.engines = std::move(outcome.engines),
                             .records = outcome.records,
                             .measure = ask.measure,
                             .remarks = checked.plan.remarks};
    report.remarks.insert(report.remarks.end(), outcome.remarks.begin(), outcome.remarks.end());
    remarkDump(ask.measure, checked.plan, report);
    if (report.records.empty()) {
        report.notFitted = "nothing was measured";
        return report.has(Status::Interrupted)
                   ? Result<CalibrationReport>(std::move(report))
                   : Result<CalibrationReport>(tl::unexpected(nothingMeasured(report)));
    }
    FABRICAST_ASSIGN(report.measured, readMeasurements(report.records));
    std::ranges::copy(checked.assumed, std::back_inserter(report.remarks));
    FABRICAST_TRY(fitReport(store, checked.fit, report));
    return report;
}

Result<CalibrationReport> refit(const RefitAsk& ask, const ProfileStore& store) {
    FitAsk fit = ask.fit;
    const std::string& first = !ask.out.empty()       ? ask.out
                               : !ask.records.empty() ? ask.records.front()
                                                      : ask.logs.front();
    FABRICAST_ASSIGN(fit.name, profileNameFor(ask.fit, first));
    FABRICAST_TRY(checkFit(ask.fit, store));
    CalibrationReport report{.records = ask.records};
    FABRICAST_ASSIGN(
        report.measured,
        ask.logs.empty() ? readMeasurements(ask.records) : importNcclTests(ask.logs, ask.hint));
    FABRICAST_TRY(checkDays(report.measured, latestDay(), latestTime()));
    if (fit.folder.empty()) {  // what would be proposed next must hold
        FABRICAST_TRY(checkMachineOf(
            store, report.measured, {.name = fit.name, .gpu = fit.gpu, .machine = fit.machine}));
    }
    if (!ask.logs.empty()) {
        for (const MeasurementRecord& log : report.measured.sittings) {
            std::ranges::copy(log.dropped, std::back_inserter(report.remarks));
        }
        if (!ask.out.empty()) {
            FABRICAST_TRY(writeRecord(report.measured, ask.out, fit.replaces));
        }
        report.records = ask.out.empty() ? std::vector<std::string>() : std::vector{ask.out};
        report.logs = ask.out.empty() ? ask.logs : std::vector<std::string>();
        report.ranks = ask.hint.ranks;
    }
    tellWrong(report);
    FABRICAST_TRY(fitReport(store, fit, report));
    return report;
}

}  // namespace fabricast
