#include "study/backtest.h"

#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/profiles/machine_correction_json.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/step_intervals_json.h"
#include "planner/report/backtest_json.h"
#include "planner/report/backtest_report.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_file.h"
#include "probes/record/utc_now.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array kBacktestGroups = {Choice<GroupBy>{"source", GroupBy::Source},
                                        Choice<GroupBy>{"gpu", GroupBy::Gpu},
                                        Choice<GroupBy>{"stack", GroupBy::Stack}};

constexpr std::array kBacktestEngines = {
    Choice<BacktestEngine>{"forecast", BacktestEngine::Forecast},
    Choice<BacktestEngine>{"simulation", BacktestEngine::Simulation}};

struct BacktestFlags {
    std::string file;
    BacktestAsk ask;
    std::optional<std::string> intervals;  ///< file to write them to
    std::optional<std::string> fit;        ///< file for the machine's correction
};

/// "ours.json" for the machine of a table, "ours-b200-sxm-180gb.json" for each of several.
std::filesystem::path correctionFile(const std::filesystem::path& file,
                                     const MachineFit& fit,
                                     bool alone) {
    if (alone) {
        return file;
    }
    std::filesystem::path own = file;
    return own.replace_filename(file.stem().string() + "-" + fit.gpu + file.extension().string());
}

constexpr const char* kCorrections = "corrections";

/// A profile is named like its file and lies in the folder of its kind, or no command would find
/// it: told before anything is fitted.
Result<void> checkFitName(const BacktestFlags& flags, const GlobalOptions& options) {
    const std::filesystem::path file = flags.fit.value_or("");
    const std::string stem = file.stem().string();
    if (!flags.fit) {
        return {};
    }
    const std::filesystem::path place(options.at(file.string()));
    if (isProfileName(stem) && place.parent_path().filename() != kCorrections) {
        return fail(
            Error::Code::BadInput,
            "--fit",
            "\"" + file.string() + "\" is in no folder " + kCorrections +
                ", which is where --profile-dir looks for it",
            "--fit " + shellWord((file.parent_path() / kCorrections / (stem + ".json")).string()));
    }
    if (isProfileName(stem)) {
        return file.extension() == ".json"
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "--fit",
                          "\"" + file.string() + "\" is not read as a profile: no .json",
                          "--fit " + shellWord((file.parent_path() / (stem + ".json")).string()));
    }
    const std::string near = profileName(stem);
    const std::string name = isProfileName(near) ? near : "our-gpus";
    return fail(
        Error::Code::BadInput,
        "--fit",
        "\"" + stem + "\" is not a valid profile name: lower case letters, digits and hyphens",
        "--fit " + shellWord((file.parent_path() / (name + ".json")).string()));
}

/// The name of each of several files has the GPU in it too: told before one is written.
Result<void> checkFitNames(const BacktestFlags& flags, const std::vector<MachineFit>& fits) {
    for (const MachineFit& fit : fits) {
        const std::filesystem::path file =
            correctionFile(flags.fit.value_or(""), fit, fits.size() == 1);
        if (fit.correction && !isProfileName(file.stem().string())) {
            return fail(Error::Code::BadInput,
                        "--fit",
                        "\"" + file.stem().string() + "\", one of " + std::to_string(fits.size()) +
                            " GPUs, is longer than the name of a profile",
                        "--fit " + shellWord((file.parent_path() / "our.json").string()));
        }
    }
    return {};
}

/// The files that are asked for, each a profile named like its file.
Result<void> writeFiles(const BacktestFlags& flags,
                        const GlobalOptions& options,
                        const BacktestAnswer& answer) {
    const std::vector<MachineFit>& fits = answer.backtest.fits;
    FABRICAST_TRY(checkFitNames(flags, fits));
    for (const MachineFit& fit : fits) {
        if (fit.correction) {
            const std::filesystem::path file =
                correctionFile(options.at(*flags.fit), fit, fits.size() == 1);
            std::error_code ignored;  // where there is no folder then, writing says so
            std::filesystem::create_directories(file.parent_path(), ignored);
            FABRICAST_TRY(writeTextFile(
                file.string(), machineCorrectionJson(*fit.correction, file.stem().string())));
        }
    }
    if (flags.intervals) {
        const std::filesystem::path file = options.at(*flags.intervals);
        FABRICAST_TRY(writeTextFile(file.string(),
                                    stepIntervalsJson(answer.intervals, file.stem().string())));
    }
    return {};
}

/// A fit that no machine gained by has an answer, and no file.
ExitCode fitCode(const std::vector<MachineFit>& fits) {
    const bool none = std::ranges::none_of(
        fits, [](const MachineFit& fit) { return fit.correction.has_value(); });
    return !fits.empty() && none ? ExitCode::DoesNotFit : ExitCode::Ok;
}

Answer printedBacktest(const Backtest& backtest, const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return {.text = backtestJson(backtest, FABRICAST_VERSION)};
        case Format::Csv:
            return {.text = backtestCsv(backtest)};
        case Format::Markdown:
            return {.text = backtestMarkdown(backtest)};
        case Format::Text:
            break;
    }
    return {.report = backtestReport(backtest, options.verbose)};
}

/// A question about the first GPU that was fitted: the first run on it whose model is known, else a
/// usual model.
std::string questionOfFit(const MachineFit& fit, const RunTable& table, const Workbench& bench) {
    const std::string machine = " --gpu " + shellWord(fit.gpu) + " --gpus ";
    for (const PublishedRun& run : table.runs) {
        const Result<ProfileFile> gpu = bench.profiles().find(ProfileKind::Gpu, run.gpu, "gpu");
        const Result<ProfileFile> model = bench.profiles().model(run.model, "model");
        if (gpu && gpu->name == fit.gpu && model && run.gpus && run.sequence) {
            return "-m " + model->name + machine + std::to_string(*run.gpus) + " --seq " +
                   std::to_string(*run.sequence);
        }
    }
    return "-m llama-3.1-8b" + machine + "8";
}

/// What --fit wrote, and how a forecast takes it: files in the folder corrections of profiles.
std::vector<std::string> fitRemarks(const std::string& typed,
                                    const std::vector<MachineFit>& fits,
                                    const RunTable& table,
                                    const Workbench& bench) {
    std::vector<std::string> remarks;
    for (const MachineFit& fit : fits) {
        if (fit.correction) {
            remarks.push_back("wrote " + correctionFile(typed, fit, fits.size() == 1).string());
        }
    }
    const std::filesystem::path kind = std::filesystem::path(typed).parent_path();
    const std::string folder = kind.empty() ? ".." : kind.parent_path().string();
    const auto fitted = std::ranges::find_if(
        fits, [](const MachineFit& fit) { return fit.correction.has_value(); });
    if (fitted != fits.end()) {
        remarks.push_back("next: fabricast --profile-dir " +
                          shellWord(folder.empty() ? "." : folder) + " plan " +
                          questionOfFit(*fitted, table, bench));
    }
    return remarks;
}

Result<Answer> runBacktest(const BacktestFlags& flags, const GlobalOptions& options) {
    FABRICAST_TRY(checkFitName(flags, options));
    FABRICAST_ASSIGN(const RunTable table, readRunTable(options.at(flags.file)));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    BacktestAsk ask = flags.ask;
    ask.fitMachine = flags.fit.has_value();
    ask.date = utcNow().substr(0, std::string_view("2026-01-01").size());
    FABRICAST_ASSIGN(const BacktestAnswer answer, backtest(table, ask, bench, options.watch()));
    FABRICAST_TRY(writeFiles(flags, options, answer));
    Answer printed = printedBacktest(answer.backtest, options);
    printed.code = fitCode(answer.backtest.fits);
    if (flags.fit) {
        printed.remarks = fitRemarks(*flags.fit, answer.backtest.fits, table, bench);
    }
    return printed;
}

}  // namespace

Command backtestCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command("backtest", "Compare forecasts with measured runs");
    app.footer(
        "See docs/backtest.md for the columns and the metrics.\n"
        "examples:\n"
        "  fabricast backtest tests/cases/published/runs.csv\n"
        "  fabricast backtest mine.csv --all --format csv\n"
        "  fabricast backtest mine.csv --fit our-profiles/corrections/our-h100.json");
    const auto flags = std::make_shared<BacktestFlags>();
    app.add("runs", flags->file, "a table of runs (CSV); - is standard input")
        .takes("RUNS.csv")
        .required();
    app.addChoice<GroupBy>("--group-by", flags->ask.groupBy, kBacktestGroups)
        .describe("group by source (the id without its number), gpu or stack");
    app.addChoice<BacktestEngine>("--engine", flags->ask.engine, kBacktestEngines)
        .describe("source of the step times: forecast, or simulation (event by event)");
    app.add(
        "--all", flags->ask.everyRow, "summarise every row, not only core rows of tiers A and B");
    app.add("--write-intervals", flags->intervals, "write the intervals fitted to these runs")
        .takes("FILE");
    app.add("--fit",
            flags->fit,
            "write the correction of these machines: the speeds that their runs tell")
        .takes("FILE");
    return {app, [flags, &options] { return runBacktest(*flags, options); }, true};
}

}  // namespace fabricast
