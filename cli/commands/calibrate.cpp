#include "cli/calibrate_fit.h"
#include "cli/calibrate_measure.h"
#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/imported_record.h"
#include "cli/open_profiles.h"
#include "probes/record/probe_flags.h"

#include <array>
#include <filesystem>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kEngines = {Choice<CalibrateEngine>{"auto", CalibrateEngine::Auto},
                                 Choice<CalibrateEngine>{"cuda", CalibrateEngine::Cuda},
                                 Choice<CalibrateEngine>{"nccl", CalibrateEngine::Nccl},
                                 Choice<CalibrateEngine>{"host", CalibrateEngine::Host},
                                 Choice<CalibrateEngine>{"mpi", CalibrateEngine::Mpi}};
constexpr std::array kSuites = {Choice<const char*>{"quick", "quick"},
                                Choice<const char*>{"full", "full"}};
constexpr std::int64_t kMostRanks = 65'536;
constexpr const char* kUsualOut = "calibration.jsonl";

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
    bool dryRun = false;
};

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
    std::vector<std::string> files;
    for (const std::string& record : flags.records) {
        files.push_back(options.at(record));
    }
    if (flags.logs.empty()) {
        FABRICAST_ASSIGN(const MergedMeasurements measured, readMeasurements(files));
        FABRICAST_ASSIGN(std::string text,
                         calibrateAnswer(store, flags.records, measured, fit, options));
        return Answer{.text = std::move(text)};
    }
    const NcclTestsHint hint{flags.request.ranks,
                             static_cast<std::int64_t>(flags.request.hosts.size())};
    FABRICAST_ASSIGN(const MergedMeasurements measured, importNcclTests(flags.logs, hint, options));
    if (!flags.out.empty()) {
        FABRICAST_TRY(writeRecord(measured, options.at(flags.out)));
    }
    const std::vector<std::string> shown = {flags.out.empty() ? "FILE.jsonl" : flags.out};
    FABRICAST_ASSIGN(std::string text, calibrateAnswer(store, shown, measured, fit, options));
    return Answer{.text = std::move(text)};
}

Result<Answer> runCalibrate(const CalibrateFlags& flags, const GlobalOptions& options) {
    if (options.format != Format::Text) {
        return fail(Error::Code::BadInput, "--format", "calibrate prints text");
    }
    if (!flags.records.empty() && !flags.logs.empty()) {
        return fail(Error::Code::BadInput,
                    "--from-record",
                    "and --from-nccl-tests are two ways to say what was measured",
                    "import the logs with --out FILE, then fit both records with --from-record");
    }
    FABRICAST_ASSIGN(CalibrateFit fit, fitOf(flags));
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    if (!flags.records.empty() || !flags.logs.empty()) {
        return fitOnly(flags, store, fit, options);
    }
    CalibrateRequest request = flags.request;
    request.suite = flags.suite;
    request.out = options.at(flags.out.empty() ? kUsualOut : flags.out);
    request.probes = request.probes.empty() ? request.probes : options.at(request.probes);
    request.scratch = request.scratch.empty() ? request.scratch : options.at(request.scratch);
    FABRICAST_ASSIGN(request.seconds, secondsOf(flags.budget, "--time-budget"));
    FABRICAST_ASSIGN(request.silentSeconds, secondsOf(flags.stall, "--stall"));
    return flags.dryRun ? dryCalibration(request, options)
                        : measureAndFit(request, store, std::move(fit), options);
}

void addText(CLI::App& app,
             const char* flag,
             std::string& value,
             const char* shown,
             const char* description) {
    app.add_option(flag, value, description)->option_text(shown);
}

void addMeasureFlags(CLI::App& app, CalibrateFlags& flags) {
    CalibrateRequest& request = flags.request;
    addChoice<CalibrateEngine>(app, "--engine", request.engine, kEngines)
        ->description("what measures: auto, cuda, nccl, host or mpi");
    addChoice<const char*>(app, "--suite", flags.suite, kSuites)
        ->description("how much: quick or full");
    addText(app, "--time-budget", flags.budget, "TIME", "for all of it: 90s, 5m, 1h");
    addText(app, "--out", flags.out, "FILE", "the record; one that is there is gone on with");
    app.add_option("--gpus", request.gpus, "their numbers; kernels are measured on the first")
        ->option_text("LIST")
        ->delimiter(',');
    addWhole(app, "--ranks", request.ranks, {1, kMostRanks})
        ->description("how many processes take part");
    app.add_option("--hosts", request.hosts, "where mpi's processes run: a,b,c")
        ->option_text("LIST")
        ->delimiter(',');
    addText(app, "--scratch", request.scratch, "DIR", "a folder on the disk to measure");
    addText(app, "--probes", request.probes, "DIR", "the folder of the probe programs");
    addText(app, "--stall", flags.stall, "TIME", "end a probe that says nothing for so long");
    app.add_flag("--even-if-busy", request.evenIfBusy, "measure though others use the GPU");
    app.add_flag("--dry-run", flags.dryRun, "say what would be measured; with -v every point");
}

void addFitFlags(CLI::App& app, CalibrateFlags& flags) {
    constexpr const char* kGroup = "profile";
    app.add_option("--profile", flags.profile, "the folder of profiles to write")
        ->option_text("DIR")
        ->group(kGroup);
    app.add_option("--name", flags.name, "of what is written; else the record's")
        ->option_text("NAME")
        ->group(kGroup);
    app.add_option("--machine", flags.machine, "the cluster or node profile that was measured")
        ->option_text("NAME")
        ->group(kGroup);
    app.add_option("--gpu", flags.gpu, "the GPU profile, where its name does not say")
        ->option_text("NAME")
        ->group(kGroup);
    app.add_option("--topology", flags.topology, "NCCL's XML or the like, kept beside it")
        ->option_text("FILE")
        ->group(kGroup);
    app.add_option("--from-record", flags.records, "fit these records, and measure nothing")
        ->option_text("FILE…")
        ->group(kGroup);
    app.add_option("--from-nccl-tests", flags.logs, "fit these logs or -J files of nccl-tests")
        ->option_text("LOG…")
        ->group(kGroup);
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
        "Ctrl-C keeps what was measured; the same command goes on with it.");
    const auto flags = std::make_shared<CalibrateFlags>();
    addMeasureFlags(*app, *flags);
    addFitFlags(*app, *flags);
    return {app, [flags, &options] { return runCalibrate(*flags, options); }};
}

}  // namespace fabricast
