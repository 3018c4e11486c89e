#include "cli/calibrate_flags.h"

#include "flags/command_line.h"

#include <array>
#include <cstdint>

namespace fabricast {
namespace {

constexpr std::array kEngines = {Choice<CalibrationEngine>{"auto", CalibrationEngine::Auto},
                                 Choice<CalibrationEngine>{"cuda", CalibrationEngine::Cuda},
                                 Choice<CalibrationEngine>{"nccl", CalibrationEngine::Nccl},
                                 Choice<CalibrationEngine>{"host", CalibrationEngine::Host},
                                 Choice<CalibrationEngine>{"mpi", CalibrationEngine::Mpi}};
constexpr std::array kSuites = {Choice<const char*>{"quick", "quick"},
                                Choice<const char*>{"full", "full"}};
constexpr std::int64_t kMostRanks = 65'536;

void addText(const FlagSet& app,
             const char* flag,
             std::string& value,
             const char* shown,
             const char* description) {
    app.add(flag, value, description).takes(shown);
}

void addMeasureFlags(const FlagSet& app, CalibrateFlags& flags) {
    MeasureAsk& measure = flags.measure;
    app.addChoice<CalibrationEngine>("--engine", measure.engine, kEngines)
        .describe("probes to run: cuda, nccl, host, mpi or auto (default)");
    app.addChoice<const char*>("--suite", flags.suite, kSuites)
        .describe("how much to measure: quick (default) or full");
    addText(app, "--time-budget", flags.budget, "TIME", "total time budget: 90s, 1h (default: 5m)");
    addText(app,
            "--out",
            flags.out,
            "FILE",
            "record file; resumed if it exists (default: calibration.jsonl)");
    app.add("--gpus", measure.gpus, "GPU numbers; kernels are measured on the first")
        .takes("LIST")
        .separatedBy(',');
    app.add("--ranks", measure.ranks, {1, kMostRanks}).describe("number of nccl or mpi processes");
    app.add("--hosts", measure.hosts, "hosts for the mpi processes: a,b,c")
        .takes("LIST", "a,b")
        .separatedBy(',');
    addText(app, "--scratch", measure.scratch, "DIR", "folder on the disk to measure");
    addText(app, "--probes", measure.probes, "DIR", "folder of the probe programs");
    addText(app,
            "--stall",
            flags.stall,
            "TIME",
            "stop a probe after this long without output (default: 3m)");
    addText(app,
            "--tuner-dump",
            measure.tunerDump,
            "FILE",
            "also write NCCL's own cost estimates to this file");
    app.add("--even-if-busy", measure.evenIfBusy, "measure even if the GPU is in use");
    app.add("--dry-run", flags.dryRun, "list what would be measured; every point with -v");
}

void addFitFlags(const FlagSet& app, CalibrateFlags& flags) {
    constexpr const char* kGroup = "profile";
    app.add("--profile", flags.profile, "folder for the new profiles").takes("DIR").group(kGroup);
    app.add("--force", flags.force, "replace files, also where something of them is lost")
        .group(kGroup);
    app.add("--name", flags.name, "profile name (default: the record's name)")
        .takes("NAME")
        .group(kGroup);
    app.add("--machine", flags.machine, "cluster or node profile that was measured")
        .takes("NAME")
        .group(kGroup);
    app.add("--gpu", flags.gpu, "GPU profile (default: recognised by the driver's name)")
        .takes("NAME")
        .group(kGroup);
    app.add("--topology",
            flags.topology,
            "topology file (NCCL XML, nvidia-smi topo -m) to keep with the profile")
        .takes("FILE")
        .group(kGroup);
    app.add("--from-record", flags.records, "fit these records instead of measuring")
        .takes("FILE...")
        .group(kGroup);
    app.add("--from-nccl-tests", flags.logs, "fit these nccl-tests logs or -J files")
        .takes("LOG...")
        .group(kGroup);
    app.add("--from-nccl-tuner", flags.dumps, "compare these dumps of NCCL's own estimates")
        .takes("DUMP...")
        .group(kGroup);
}

/// The flags that are about measuring.
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

Result<void> onlyOneSource(const CalibrateFlags& flags) {
    if (!flags.records.empty() && !flags.logs.empty()) {
        return fail(Error::Code::BadInput,
                    "--from-record",
                    "cannot be combined with --from-nccl-tests",
                    "import the logs with --out FILE, then fit both records with --from-record");
    }
    if (!flags.dumps.empty() && (!flags.records.empty() || !flags.logs.empty())) {
        return fail(Error::Code::BadInput,
                    "--from-nccl-tuner",
                    "compares estimates; --from-record and --from-nccl-tests fit measurements",
                    "run calibrate twice");
    }
    return {};
}

/// No profile is made of estimates.
Result<void> checkDumps(const FlagSet& app, const CalibrateFlags& flags) {
    for (const char* const flag : {"--profile", "--out", "--name", "--gpu", "--topology"}) {
        if (app.isTyped(flag)) {
            return fail(Error::Code::BadInput,
                        flag,
                        "cannot be used with --from-nccl-tuner: NCCL's own estimates are not "
                        "measurements, so no profile is made of them",
                        std::string("leave out ") + flag);
        }
    }
    if (flags.machine.empty()) {
        return fail(Error::Code::BadInput,
                    "--machine",
                    "is required: a dump of NCCL's tuner does not name the machine",
                    "--machine and the node or cluster profile of the machine that wrote it");
    }
    return {};
}

}  // namespace

void addCalibrateFlags(const FlagSet& app, CalibrateFlags& flags) {
    addMeasureFlags(app, flags);
    addFitFlags(app, flags);
}

Result<void> checkCalibrateFlags(const FlagSet& app, const CalibrateFlags& flags) {
    FABRICAST_TRY(onlyOneSource(flags));
    if (!flags.reads()) {
        return {};
    }
    const char* const source = !flags.records.empty() ? "--from-record"
                               : !flags.logs.empty()  ? "--from-nccl-tests"
                                                      : "--from-nccl-tuner";
    for (const char* const flag : kMeasureFlags) {
        if (app.isTyped(flag)) {
            return fail(Error::Code::BadInput,
                        flag,
                        std::string("is for measuring, but ") + source + " measures nothing",
                        std::string("leave out ") + flag);
        }
    }
    // Logs may lack the number of ranks and hosts.
    for (const char* const flag : {"--ranks", "--hosts"}) {
        if (app.isTyped(flag) && flags.logs.empty()) {
            return fail(Error::Code::BadInput,
                        flag,
                        std::string("cannot be used with ") + source + ", which has it already",
                        std::string("leave out ") + flag);
        }
    }
    if (!flags.records.empty() && !flags.out.empty()) {
        return fail(Error::Code::BadInput,
                    "--out",
                    "cannot be used with --from-record, which writes no record",
                    "leave out --out; --profile DIR is where the profile goes");
    }
    return flags.dumps.empty() ? Result<void>() : checkDumps(app, flags);
}

}  // namespace fabricast
