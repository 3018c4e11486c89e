#include "cli/explain_message.h"
#include "planner/report/import_text.h"
#include "planner/text/text_files.h"
#include "study/explain.h"
#include "study/lint.h"
#include "study/next_command.h"
#include "study/oom.h"

#include <memory>

namespace fabricast {
namespace {

struct ImportFlags {
    QuestionArguments question;
};

/// What `lint` finds beside the forecast, without its notes.
Result<LintReport> lintOf(const Question& question,
                          const Workbench& bench,
                          const GlobalOptions& options) {
    if (question.file.empty() || question.file == "-" ||
        question.root.find("imported") == nullptr) {
        return LintReport();
    }
    return lint(question.file,
                options.directory,
                question,
                {.ignored = {"FL03", "FL06"}, .least = LintSeverity::Warning},  // said already
                bench,
                options.watch());
}

Result<Answer> runImport(const ImportFlags& flags, const GlobalOptions& options) {
    if (flags.question.files.empty()) {
        return fail(Error::Code::BadInput,
                    "import",
                    "needs a launch file, or the folder of a run",
                    "fabricast import axolotl.yaml -c dgx-h100");
    }
    const std::string& file = flags.question.files.front();
    const auto bytes = readTextFile(options.at(file), kMostLogBytes, ReadFor::Look);
    if (file != "-" && bytes && isMemoryMessage(*bytes, file)) {  // of a run, and no scenario
        return explainMessage(flags.question, "-", options);
    }
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    const bool isModelAlone =
        question.root.members().size() == 1 && question.root.find("model") != nullptr;
    const bool isLaunchFile = question.root.find("imported") != nullptr || isModelAlone;
    if (options.format == Format::Json && isLaunchFile) {
        return Answer{.text = documentText(question)};
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const Result<Explanation> forecast = forecastToLint(question, bench, options.watch());
    // What is not forecast of a launch file may be typed beside it; any other file is a scenario.
    if (!forecast && (forecast.error().code == Error::Code::Stopped || !isLaunchFile)) {
        return tl::unexpected(forecast.error());
    }
    if (options.format == Format::Json) {
        return Answer{.text = documentText(question)};
    }
    FABRICAST_ASSIGN(const LintReport regrets, lintOf(question, bench, options));
    const bool tooBig = forecast && forecast->verdict == Verdict::DoesNotFit;
    return Answer{
        .text = importText(question.root, forecast, regrets) +
                (options.quiet || !forecast ? "" : nextLine("explain", question, " --section all")),
        .code = tooBig ? ExitCode::DoesNotFit : ExitCode::Ok};
}

}  // namespace

Command importCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("import", "Read a launch file of a framework as a scenario");
    app.footer(
        "files: torchtitan's TOML, DeepSpeed's JSON, YAML of Accelerate, Axolotl, NeMo, TRL and\n"
        "torchtune, scripts that call tune run, Megatron's pretrain_gpt.py, torchtitan or Hugging\n"
        "Face's Trainer, Python programs of Trainer, FSDP2, DDP, Megatron Bridge and NeMo, jobs "
        "that\n"
        "start one of these, the folder of a run, and a model's config.json. Every command takes "
        "such\nfiles for a scenario. A snapshot of torch.cuda.memory, and a log with\n"
        "a message of memory, is answered as oom answers it.\n"
        "examples:\n"
        "  fabricast import axolotl.yaml -c dgx-h100\n"
        "  fabricast import axolotl.yaml zero3.json -c dgx-h100\n"
        "  fabricast import train.toml -o run.json\n"
        "  fabricast explain pretrain.sh -m llama-3.1-70b -c dgx-h100 --section time\n"
        "Exit status 1 if the memory does not fit (--no-fail: 0); with -f json nothing is "
        "forecast.");
    const auto flags = std::make_shared<ImportFlags>();
    addScenarioArguments(app, flags->question);
    return {app, [flags, &options] { return runImport(*flags, options); }, false, kTextAndJson};
}

}  // namespace fabricast
