#include "study/emit.h"

#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/output/publish_files.h"
#include "planner/report/lint_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/subject_text.h"
#include "planner/text/json_text.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_file.h"
#include "study/check_emitted.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kLaunchers = {Choice<Launcher>{"torchrun", Launcher::Torchrun},
                                   Choice<Launcher>{"slurm", Launcher::Slurm},
                                   Choice<Launcher>{"kubernetes", Launcher::Kubernetes}};

struct EmitFlags {
    QuestionArguments question;
    EmitAsk ask{.madeBy = "fabricast " FABRICAST_VERSION};
    std::string folder;
    bool force = false;
    bool check = false;
};

/// What lies in the place of a file, and may not be replaced unasked.
Result<void> checkPlace(const std::string& path, const std::string& text) {
    using Kind = std::filesystem::file_type;
    std::error_code trouble;
    switch (std::filesystem::symlink_status(path, trouble).type()) {
        case Kind::none:  // whatever that is, writing says it
        case Kind::unknown:
        case Kind::not_found:
            return {};
        case Kind::symlink:
            return fail(Error::Code::BadInput,
                        "--out",
                        path + " is a link",
                        "--force, which replaces it and not what it leads to, or another folder");
        case Kind::regular:
            break;
        default:
            return fail(
                Error::Code::BadInput, "--out", path + " is there and no file", "another folder");
    }
    const Result<std::string> old = readTextFile(path);
    return old && *old == text ? Result<void>()
                               : fail(Error::Code::BadInput,
                                      "--out",
                                      path + " is there and differs",
                                      "--force, or another folder");
}

/// A user's own changes are not lost: a file that is there and differs stays, unless forced.
Result<void> checkKept(const std::vector<LaunchFile>& files, const EmitFlags& flags) {
    for (const LaunchFile& file : files) {
        if (!flags.force) {
            FABRICAST_TRY(
                checkPlace((std::filesystem::path(flags.folder) / file.name).string(), file.text));
        }
    }
    return {};
}

Result<void> writeLaunchFiles(const std::vector<LaunchFile>& files, const EmitFlags& flags) {
    FABRICAST_TRY(checkKept(files, flags));
    std::error_code trouble;
    std::filesystem::create_directories(flags.folder, trouble);
    if (trouble) {
        return fail(Error::Code::Environment, "--out", flags.folder + ": " + trouble.message());
    }
    std::vector<FolderText> texts;
    texts.reserve(files.size());
    for (const LaunchFile& file : files) {
        texts.push_back({file.name, file.text});
    }
    const std::string why =
        publishFiles(texts, flags.folder, [](const std::string&) { return std::string(); });
    return why.empty() ? Result<void>() : fail(Error::Code::Environment, "--out", why);
}

std::string emittedJson(const Emitted& emitted) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.launch/1");
    json.add("version", FABRICAST_VERSION);
    json.add("target", emitted.target);
    json.add("framework_version", emitted.version);
    if (emitted.forecast.verdict) {
        json.add("verdict", verdictWord(*emitted.forecast.verdict));
    } else {
        json.addNull("verdict", emitted.forecast.whyNoVerdict);
    }
    json.beginArray("files");
    for (const LaunchFile& file : emitted.launch.files) {
        json.beginObject();
        json.add("name", file.name);
        json.add("text", file.text);
        json.end();
    }
    json.end();
    json.add("not_told", emitted.launch.untold);
    json.end();
    return std::move(json).finish();
}

std::string headOf(const Emitted& emitted) {
    const Explanation& forecast = emitted.forecast;
    const std::string verdict(forecast.verdict ? verdictWord(*forecast.verdict) : "NOT MODELLED");
    return verdict + "  " + subjectText(forecast.scenario) +
           (forecast.verdict ? "" : "\n" + forecast.whyNoVerdict) + "\nlaunch files for " +
           emitted.target + " " + emitted.version + "\n";
}

std::string untoldText(const Emitted& emitted) {
    std::string text;
    for (const std::string& one : emitted.launch.untold) {
        text += "not in the files: " + one + "\n";
    }
    return text;
}

/// What is said before the command that would start a run without room.
std::string beforeNext(const Emitted& emitted) {
    return emitted.forecast.verdict == Verdict::DoesNotFit
               ? "\nit DOES NOT FIT: the run ends out of memory (fabricast explain says what would "
                 "fit)\n"
               : "\n";
}

/// How the run is started: in its folder, by what the launcher is called with.
std::string nextOf(const Emitted& emitted, const EmitFlags& flags) {
    if (flags.folder.empty()) {
        return "--out DIR writes them";
    }
    const std::string folder = "cd " + shellWord(flags.folder) + " && ";
    switch (flags.ask.launcher) {
        case Launcher::Slurm:
            return folder + "sbatch job.sbatch";
        case Launcher::Kubernetes:
            return folder + "kubectl apply -f job.yaml, with an image that has these files";
        case Launcher::Torchrun:
            break;
    }
    const bool several = emitted.forecast.scenario.cluster.nodes > 1;
    return folder +
           (several ? "MASTER_ADDR=first-node NODE_RANK=0 bash run.sh, on each node its own rank"
                    : "bash run.sh");
}

std::string emittedText(const Emitted& emitted, const EmitFlags& flags, bool quiet) {
    std::string text = headOf(emitted);
    for (const LaunchFile& file : emitted.launch.files) {
        text += flags.folder.empty()
                    ? "\n==> " + file.name + " <==\n" + file.text
                    : "  " + (std::filesystem::path(flags.folder) / file.name).string() + "\n";
    }
    const std::string untold = untoldText(emitted);
    text += (flags.folder.empty() && !untold.empty() ? "\n" : "") + untold;
    return quiet ? text : text + beforeNext(emitted) + "next: " + nextOf(emitted, flags) + "\n";
}

/// What reading the files back showed, for people.
std::string checkedText(const EmittedCheck& check) {
    if (!check.notRead.empty()) {
        return "check: not read back: " + check.notRead + "\n";
    }
    std::string text = check.differs.empty() ? "check: read back as the same plan\n" : "";
    for (std::size_t i = 0; i < check.filledIn.size(); ++i) {
        text += (i == 0 ? "check: with what the files do not say: " : ", ") + check.filledIn[i];
    }
    text += check.filledIn.empty() ? "" : " (yours to set in the script)\n";
    for (const std::string& one : check.differs) {
        text += "check: " + one + "\n";
    }
    return text + findingsText({.findings = check.findings});
}

Result<Answer> runEmit(const EmitFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(const Emitted emitted, emit(question, flags.ask, bench, options.watch()));
    if (!flags.folder.empty()) {
        FABRICAST_TRY(writeLaunchFiles(emitted.launch.files, flags));
    }
    const bool tooBig = emitted.forecast.verdict == Verdict::DoesNotFit;
    std::string text = options.format == Format::Json ? emittedJson(emitted)
                                                      : emittedText(emitted, flags, options.quiet);
    bool isRefused = false;
    if (flags.check && options.format != Format::Json) {
        const EmittedCheck check = checkEmitted(emitted, question, bench);
        text += "\n" + checkedText(check);
        isRefused = std::ranges::any_of(check.findings, [](const LintFinding& one) {
            return one.severity == LintSeverity::Error;
        });
    }
    return Answer{.text = std::move(text),
                  .code = tooBig || isRefused ? ExitCode::DoesNotFit : ExitCode::Ok};
}

}  // namespace

Command emitCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("emit", "Write the files that start a layout under its framework");
    const auto flags = std::make_shared<EmitFlags>();
    app.footer(
        "frameworks: ddp fsdp2 deepspeed megatron nemo torchtitan accelerate axolotl, as --stack "
        "says;\n"
        "plans of megatron and nemo also for --target megatron-bridge or nemo\n"
        "examples:\n"
        "  fabricast emit -m llama-3.1-70b -c dgx-h100 -n 8 --stack megatron --layout tp=4,pp=2\n"
        "  fabricast emit run.json --out launch --launcher slurm\n"
        "  fabricast emit -m llama-3.1-8b -c dgx-h100 --stack torchtitan --framework-version "
        "0.2.2\n"
        "Exit status 1 if the memory does not fit (--no-fail: 0); the files are written all the "
        "same.");
    addScenarioArguments(app, flags->question);
    app.add("--out", flags->folder, "write the files into this folder").takes("DIR");
    app.add("--target",
            flags->ask.target,
            "framework that starts the plan (default: the stack's own): megatron-bridge, nemo")
        .takes("NAME");
    app.add("--check", flags->check, "read the files back, and compare them with the plan");
    app.add("--framework-version",
            flags->ask.version,
            "release of the framework (default: the newest that is known)")
        .takes("VERSION");
    app.addChoice<Launcher>("--launcher", flags->ask.launcher, kLaunchers)
        .describe("torchrun (default), slurm, kubernetes")
        .takes("NAME");
    app.add("--load-from", flags->ask.loadFrom, "the model on the Hub, or its folder")
        .takes("NAME");
    app.add("--nccl-tuner",
            flags->ask.ncclTuner,
            "with nccl_tuner.csv for NCCL's example tuner plugin: the forecast's own choices");
    app.add("--force", flags->force, "replace files of the folder that differ");
    return {app, [flags, &options] { return runEmit(*flags, options); }};
}

}  // namespace fabricast
