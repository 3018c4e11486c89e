#include "study/emit.h"

#include "cli/command.h"
#include "flags/check_outputs.h"
#include "flags/question_arguments.h"
#include "machine/ask_frameworks.h"
#include "planner/report/launch_report.h"
#include "study/check_emitted.h"
#include "study/launch_folder.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
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
    std::optional<std::string> python{};
};

/// By our own readers, and by the framework where it is installed.
Result<std::optional<EmittedCheck>> checkOf(const Emitted& emitted,
                                            const Question& question,
                                            const EmitFlags& flags,
                                            const Workbench& bench,
                                            const GlobalOptions& options) {
    if (!flags.check && flags.python) {
        return fail(Error::Code::BadInput,
                    "--python",
                    "is asked by --check alone",
                    "--check --python " + *flags.python);
    }
    if (!flags.check) {
        return std::nullopt;
    }
    EmittedCheck check = checkEmitted(emitted, question, bench);
    FABRICAST_ASSIGN(
        check.frameworks,
        askFrameworks(emitted,
                      {.python = flags.python.value_or(""), .launcher = flags.ask.launcher},
                      options.watch()));
    return check;
}

Result<Answer> runEmit(const EmitFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(Question asked, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Question question, withStackOf(flags.ask.target, std::move(asked)));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(const Emitted emitted, emit(question, flags.ask, bench, options.watch()));
    if (!flags.folder.empty()) {
        for (const LaunchFile& file : emitted.launch.files) {
            FABRICAST_TRY(
                checkBeside("--out", options.at(flags.folder + "/" + file.name), options));
        }
        FABRICAST_TRY(
            writeLaunchFiles(emitted.launch.files, options.at(flags.folder), flags.force));
    }
    FABRICAST_ASSIGN(const std::optional<EmittedCheck> check,
                     checkOf(emitted, question, flags, bench, options));
    const bool tooBig = emitted.forecast.verdict == Verdict::DoesNotFit;
    const bool holds = !check || check->holds();
    Answer answer{.code = tooBig || !holds ? ExitCode::DoesNotFit : ExitCode::Ok};
    if (options.format == Format::Json) {
        answer.text = emittedJson(emitted, FABRICAST_VERSION, check);
        return answer;
    }
    answer.text = emittedText(emitted,
                              {.folder = flags.folder,
                               .launcher = flags.ask.launcher,
                               .next = !options.quiet,
                               .asked = typed(question)});
    if (check) {
        answer.text += "\n" + emittedCheckText(*check, emitted.version);
    }
    return answer;
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
            "framework that starts the plan (default: the stack's own), and the stack if none is "
            "named")
        .takes("NAME");
    app.add("--check",
            flags->check,
            "read the files back, and have the framework read them, where it is installed");
    app.add("--python", flags->python, "where --check finds it (default: python3 of PATH)")
        .takes("PROGRAM", "venv/bin/python");
    app.add("--framework-version",
            flags->ask.version,
            "release of the framework (default: the newest that is known)")
        .takes("VERSION");
    app.addChoice<Launcher>("--launcher", flags->ask.launcher, kLaunchers)
        .describe("torchrun (default), slurm, kubernetes")
        .takes("NAME");
    app.add("--load-from", flags->ask.loadFrom, "the model on the Hub, or its folder")
        .takes("NAME", "meta-llama/Llama-3.1-8B");
    app.add("--nccl-tuner",
            flags->ask.ncclTuner,
            "with nccl_tuner.csv for NCCL's example tuner plugin: the forecast's own choices");
    app.add("--force", flags->force, "replace files of the folder that differ");
    return {app, [flags, &options] { return runEmit(*flags, options); }, false, kTextAndJson};
}

}  // namespace fabricast
