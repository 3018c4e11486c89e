#include "machine/calibrate.h"

#include "cli/calibrate_flags.h"
#include "cli/command.h"
#include "flags/check_outputs.h"
#include "flags/question_arguments.h"
#include "machine/nccl_comparison.h"
#include "probes/record/probe_flags.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kUsualOut = "calibration.jsonl";

Result<double> secondsOf(const std::string& text, const char* flag) {
    const probe::Answer<double> seconds = probe::parseDuration(text);
    return seconds ? Result<double>(*seconds)
                   : fail(Error::Code::BadInput, flag, seconds.trouble().why);
}

std::string pathOf(const std::string& typed, const GlobalOptions& options) {
    return typed.empty() ? typed : options.at(typed);
}

std::vector<std::string> pathsOf(std::vector<std::string> typed, const GlobalOptions& options) {
    for (std::string& path : typed) {
        path = options.at(path);
    }
    return typed;
}

FitAsk fitAskOf(const CalibrateFlags& flags, const GlobalOptions& options) {
    return {.folder = pathOf(flags.profile, options),
            .name = flags.name,
            .machine = flags.machine,
            .gpu = flags.gpu,
            .topology = pathOf(flags.topology, options),
            .profileFolders = pathsOf(options.profileFolders, options),
            .replaces = flags.force,
            .checkWritten = [&options](const std::string& path) {
                return checkBeside("--profile", path, options);
            }};
}

RefitAsk refitAskOf(const CalibrateFlags& flags, const GlobalOptions& options) {
    return {.records = pathsOf(flags.records, options),
            .logs = pathsOf(flags.logs, options),
            .hint = {flags.measure.ranks, static_cast<std::int64_t>(flags.measure.hosts.size())},
            .out = pathOf(flags.out, options),
            .fit = fitAskOf(flags, options)};
}

Result<CalibrationAsk> calibrationAskOf(const CalibrateFlags& flags, const GlobalOptions& options) {
    CalibrationAsk ask{.measure = flags.measure, .fit = fitAskOf(flags, options)};
    MeasureAsk& measure = ask.measure;
    measure.suite = flags.suite;
    measure.out = options.at(flags.out.empty() ? kUsualOut : flags.out);
    measure.probes = pathOf(measure.probes, options);
    measure.scratch = pathOf(measure.scratch, options);
    measure.tunerDump = pathOf(measure.tunerDump, options);
    FABRICAST_ASSIGN(measure.seconds, secondsOf(flags.budget, "--time-budget"));
    FABRICAST_ASSIGN(measure.silentSeconds, secondsOf(flags.stall, "--stall"));
    return ask;
}

ExitCode exitCodeOf(EngineOutcome::Status status) {
    using Status = EngineOutcome::Status;
    switch (status) {
        case Status::Measured:
        case Status::NotBegun:
            return ExitCode::Ok;
        case Status::Interrupted:
            return ExitCode::Interrupted;
        case Status::WrongResults:
            return ExitCode::DoesNotFit;
        case Status::BadInput:
            return ExitCode::BadInput;
        case Status::Failed:
        case Status::Stalled:
        case Status::OutOfTime:
            return ExitCode::Environment;
    }
    return ExitCode::Bug;
}

Answer calibrationAnswer(const CalibrationReport& report, Format format) {
    // The gravest of what went wrong.
    ExitCode code = report.fault ? exitCodeOf(*report.fault) : ExitCode::Ok;
    for (const EngineOutcome& engine : report.engines) {
        code = std::max(code, exitCodeOf(engine.status));
    }
    if (report.wrong > 0) {
        code = std::max(code, ExitCode::DoesNotFit);
    }
    return {.text = format == Format::Json ? calibrationJson(report) : calibrationText(report),
            .code = code,
            .remarks = report.remarks};
}

Answer calibrationAnswer(CalibrationPreview preview, const GlobalOptions& options) {
    return {.text = options.format == Format::Json ? previewJson(preview)
                                                   : previewText(preview, options.verbose),
            .remarks = std::move(preview.remarks)};
}

Result<Answer> runCalibrate(const FlagSet& app,
                            const CalibrateFlags& flags,
                            const GlobalOptions& options) {
    FABRICAST_TRY(checkCalibrateFlags(app, flags));
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const ProfileStore& store = bench.profiles();
    if (!flags.dumps.empty()) {
        FABRICAST_ASSIGN(const NcclComparison comparison,
                         compareNcclDumps(store, flags.machine, pathsOf(flags.dumps, options)));
        return Answer{.text = options.format == Format::Json ? ncclComparisonJson(comparison)
                                                             : ncclComparisonText(comparison)};
    }
    if (flags.reads()) {
        FABRICAST_ASSIGN(const CalibrationReport report, refit(refitAskOf(flags, options), store));
        return calibrationAnswer(report, options.format);
    }
    FABRICAST_ASSIGN(const CalibrationAsk ask, calibrationAskOf(flags, options));
    if (flags.dryRun) {
        FABRICAST_ASSIGN(CalibrationPreview preview,
                         previewCalibration(ask, store, options.watch()));
        return calibrationAnswer(std::move(preview), options);
    }
    FABRICAST_ASSIGN(const CalibrationReport report, calibrate(ask, store, options.watch()));
    return calibrationAnswer(report, options.format);
}

}  // namespace

Command calibrateCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("calibrate", "Measure this machine and make a profile for forecasts");
    app.footer(
        "examples:\n"
        "  fabricast calibrate --time-budget 5m --out ours.jsonl --profile measured\n"
        "  fabricast calibrate --engine mpi --ranks 4 --out cpu.jsonl --profile measured\n"
        "  fabricast calibrate --from-nccl-tests all_reduce.log --machine dgx-h100 --profile "
        "measured\n"
        "Ctrl-C keeps the measurements so far; rerun the same command to resume.\n"
        "Exit codes: 0 measured, 1 wrong results, 2 bad input, 4 environment, 130 interrupted.");
    const auto flags = std::make_shared<CalibrateFlags>();
    addCalibrateFlags(app, *flags);
    return {app,
            [app, flags, &options] { return runCalibrate(app, *flags, options); },
            false,
            kTextAndJson};
}

}  // namespace fabricast
