#include "cli/calibrate_check.h"
#include "cli/calibrate_fit.h"
#include "cli/calibrate_flags.h"
#include "cli/calibrate_measure.h"
#include "cli/command.h"
#include "cli/imported_record.h"
#include "cli/nccl_comparison.h"
#include "cli/open_profiles.h"
#include "probes/record/probe_flags.h"

#include <filesystem>
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

/// The name of the profile: what was said, else the record's.
Result<std::string> nameOf(const CalibrateFlags& flags) {
    const std::string first = !flags.out.empty()       ? flags.out
                              : !flags.records.empty() ? flags.records.front()
                              : !flags.logs.empty()    ? flags.logs.front()
                                                       : kUsualOut;
    const std::string name =
        flags.name.empty() ? profileName(std::filesystem::path(first).stem().string()) : flags.name;
    if (name.empty() || name != profileName(name) ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
        return fail(Error::Code::BadInput,
                    "--name",
                    "\"" + name + "\" is no name of a profile",
                    "lower case, digits and hyphens: --name our-h100");
    }
    return name;
}

Result<CalibrateFit> fitOf(const CalibrateFlags& flags) {
    CalibrateFit fit{.folder = flags.profile, .topology = flags.topology};
    FABRICAST_ASSIGN(fit.options.name, nameOf(flags));
    fit.options.machine = flags.machine;
    fit.options.gpu = flags.gpu;
    if (!flags.topology.empty() && flags.profile.empty()) {
        return fail(
            Error::Code::BadInput, "--topology", "is kept beside a profile", "add --profile DIR");
    }
    return fit;
}

/// Fits what is there already.
Result<Answer> fitOnly(const CalibrateFlags& flags,
                       const ProfileStore& store,
                       const CalibrateFit& fit,
                       const GlobalOptions& options) {
    CalibrationReport report{.records = flags.records};
    if (flags.logs.empty()) {
        std::vector<std::string> files;
        for (const std::string& record : flags.records) {
            files.push_back(options.at(record));
        }
        FABRICAST_ASSIGN(report.measured, readMeasurements(files));
    } else {
        const NcclTestsHint hint{flags.request.ranks,
                                 static_cast<std::int64_t>(flags.request.hosts.size())};
        FABRICAST_ASSIGN(report.measured, importNcclTests(flags.logs, hint, options));
        if (!flags.out.empty()) {
            FABRICAST_TRY(writeRecord(report.measured, options.at(flags.out)));
        }
        report.records = {flags.out.empty() ? "FILE.jsonl" : flags.out};
    }
    return reportCalibration(store, std::move(report), fit, options, {});
}

Result<Answer> compareDumps(const CalibrateFlags& flags,
                            const ProfileStore& store,
                            const GlobalOptions& options) {
    FABRICAST_ASSIGN(NcclEstimates dump, importNcclEstimates(flags.dumps, options));
    FABRICAST_ASSIGN(const NcclComparison comparison,
                     compareNccl(store, flags.machine, std::move(dump)));
    return Answer{.text = options.format == Format::Json ? ncclComparisonJson(comparison)
                                                         : ncclComparisonText(comparison)};
}

Result<Answer> runCalibrate(const CLI::App& app,
                            const CalibrateFlags& flags,
                            const GlobalOptions& options) {
    if (options.format != Format::Text && options.format != Format::Json) {
        return fail(Error::Code::BadInput, "--format", "calibrate prints text or json");
    }
    FABRICAST_TRY(checkCalibrateFlags(app, flags));
    FABRICAST_ASSIGN(CalibrateFit fit, fitOf(flags));
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    if (!flags.dumps.empty()) {
        return compareDumps(flags, store, options);
    }
    if (!flags.records.empty() || !flags.logs.empty()) {
        return fitOnly(flags, store, fit, options);
    }
    CalibrateRequest request = flags.request;
    request.suite = flags.suite;
    request.out = options.at(flags.out.empty() ? kUsualOut : flags.out);
    request.probes = request.probes.empty() ? request.probes : options.at(request.probes);
    request.scratch = request.scratch.empty() ? request.scratch : options.at(request.scratch);
    request.tunerDump =
        request.tunerDump.empty() ? request.tunerDump : options.at(request.tunerDump);
    FABRICAST_ASSIGN(request.seconds, secondsOf(flags.budget, "--time-budget"));
    FABRICAST_ASSIGN(request.silentSeconds, secondsOf(flags.stall, "--stall"));
    FABRICAST_TRY(checkCalibration(request, store, fit, options));
    return flags.dryRun ? dryCalibration(request, options)
                        : measureAndFit(request, store, std::move(fit), options);
}

}  // namespace

Command calibrateCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "calibrate", "Measure this machine, and make a profile that forecasts use");
    app->footer(
        "examples:\n"
        "  fabricast calibrate --time-budget 5m --out ours.jsonl --profile measured\n"
        "  fabricast calibrate --engine mpi --ranks 4 --out cpu.jsonl --profile measured\n"
        "  fabricast calibrate --from-nccl-tests all_reduce.log --machine dgx-h100 --profile "
        "measured\n"
        "Ctrl-C keeps what was measured; the same command goes on with it.\n"
        "Exit codes: 0 measured, 1 wrong results, 2 bad input, 4 environment, 130 interrupted.");
    const auto flags = std::make_shared<CalibrateFlags>();
    addCalibrateFlags(*app, *flags);
    return {app, [app, flags, &options] { return runCalibrate(*app, *flags, options); }};
}

}  // namespace fabricast
