#include "cli/calibrate_flags.h"

#include "cli/flag_values.h"

#include <array>
#include <cstdint>

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
        ->description("what measures: auto (unless said), cuda, nccl, host or mpi");
    addChoice<const char*>(app, "--suite", flags.suite, kSuites)
        ->description("how much: quick (unless said) or full");
    addText(app, "--time-budget", flags.budget, "TIME", "for all of it: 90s, 1h; 5m unless said");
    addText(
        app, "--out", flags.out, "FILE", "the record, gone on with; calibration.jsonl unless said");
    app.add_option("--gpus", request.gpus, "their numbers; kernels are measured on the first")
        ->option_text("LIST")
        ->delimiter(',');
    addWhole(app, "--ranks", request.ranks, {1, kMostRanks})
        ->description("how many processes take part in nccl and mpi");
    app.add_option("--hosts", request.hosts, "where mpi's processes run: a,b,c")
        ->option_text("LIST")
        ->delimiter(',');
    addText(app, "--scratch", request.scratch, "DIR", "a folder on the disk to measure");
    addText(app, "--probes", request.probes, "DIR", "the folder of the probe programs");
    addText(app,
            "--stall",
            flags.stall,
            "TIME",
            "end a probe that is silent for so long; 3m unless said");
    addText(app,
            "--tuner-dump",
            request.tunerDump,
            "FILE",
            "where nccl also writes what NCCL itself believes");
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
        ->option_text("FILE...")
        ->group(kGroup);
    app.add_option("--from-nccl-tests", flags.logs, "fit these logs or -J files of nccl-tests")
        ->option_text("LOG...")
        ->group(kGroup);
    app.add_option("--from-nccl-tuner", flags.dumps, "compare these dumps of NCCL's own estimates")
        ->option_text("DUMP...")
        ->group(kGroup);
}

/// Every flag that says how to measure.
constexpr std::array kMeasureFlags = {"--engine",
                                      "--suite",
                                      "--time-budget",
                                      "--gpus",
                                      "--scratch",
                                      "--probes",
                                      "--stall",
                                      "--tuner-dump",
                                      "--even-if-busy",
                                      "--dry-run"};

bool isTyped(const CLI::App& app, const char* flag) {
    return app.get_option(flag)->count() > 0;
}

Result<void> onlyOneSource(const CalibrateFlags& flags) {
    if (!flags.records.empty() && !flags.logs.empty()) {
        return fail(Error::Code::BadInput,
                    "--from-record",
                    "and --from-nccl-tests are two ways to say what was measured",
                    "import the logs with --out FILE, then fit both records with --from-record");
    }
    if (!flags.dumps.empty() && (!flags.records.empty() || !flags.logs.empty())) {
        return fail(Error::Code::BadInput,
                    "--from-nccl-tuner",
                    "compares estimates, and --from-record and --from-nccl-tests fit measurements",
                    "run calibrate twice");
    }
    return {};
}

/// Estimates become no profile.
Result<void> checkDumps(const CLI::App& app, const CalibrateFlags& flags) {
    for (const char* const flag : {"--profile", "--out", "--name", "--gpu", "--topology"}) {
        if (isTyped(app, flag)) {
            return fail(Error::Code::BadInput,
                        flag,
                        "is not for --from-nccl-tuner: NCCL's own estimates are no measurements, "
                        "and nothing is made of them",
                        std::string("leave out ") + flag);
        }
    }
    if (flags.machine.empty()) {
        return fail(Error::Code::BadInput,
                    "--machine",
                    "is missing: a dump of NCCL's tuner does not say on which machine",
                    "--machine dgx-h100, or a profile of yours");
    }
    return {};
}

}  // namespace

void addCalibrateFlags(CLI::App& app, CalibrateFlags& flags) {
    addMeasureFlags(app, flags);
    addFitFlags(app, flags);
}

Result<void> checkCalibrateFlags(const CLI::App& app, const CalibrateFlags& flags) {
    FABRICAST_TRY(onlyOneSource(flags));
    if (!flags.reads()) {
        return {};
    }
    const char* const source = !flags.records.empty() ? "--from-record"
                               : !flags.logs.empty()  ? "--from-nccl-tests"
                                                      : "--from-nccl-tuner";
    for (const char* const flag : kMeasureFlags) {
        if (isTyped(app, flag)) {
            return fail(Error::Code::BadInput,
                        flag,
                        std::string("is for measuring, and ") + source + " measures nothing",
                        std::string("leave out ") + flag);
        }
    }
    // Logs may not say how many ranks on how many hosts there were.
    for (const char* const flag : {"--ranks", "--hosts"}) {
        if (isTyped(app, flag) && flags.logs.empty()) {
            return fail(Error::Code::BadInput,
                        flag,
                        std::string("is not for ") + source + ", which says it itself",
                        std::string("leave out ") + flag);
        }
    }
    if (!flags.records.empty() && !flags.out.empty()) {
        return fail(Error::Code::BadInput,
                    "--out",
                    "is not for --from-record: records are read, and none is written",
                    "leave out --out; --profile DIR is where the profile goes");
    }
    return flags.dumps.empty() ? Result<void>() : checkDumps(app, flags);
}

}  // namespace fabricast
