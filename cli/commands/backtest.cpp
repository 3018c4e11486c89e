#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "planner/backtest/backtest_runs.h"
#include "planner/backtest/fit_intervals.h"
#include "planner/backtest/fit_machine.h"
#include "planner/backtest/summarise_rows.h"
#include "planner/base/parallel_map.h"
#include "planner/io/backtest_json.h"
#include "planner/io/machine_correction_json.h"
#include "planner/io/step_intervals_json.h"
#include "planner/io/text_file.h"
#include "planner/load/load_timing.h"
#include "planner/report/backtest_report.h"
#include "simulator/program/simulate_step.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kGroups = {Choice<GroupBy>{"source", GroupBy::Source},
                                Choice<GroupBy>{"gpu", GroupBy::Gpu},
                                Choice<GroupBy>{"stack", GroupBy::Stack}};

/// What says how long a step takes.
enum class BacktestEngine { Forecast, Simulation };
constexpr std::array kEngines = {Choice<BacktestEngine>{"forecast", BacktestEngine::Forecast},
                                 Choice<BacktestEngine>{"simulation", BacktestEngine::Simulation}};

struct BacktestFlags {
    std::string file;
    GroupBy groupBy = GroupBy::Source;
    BacktestEngine engine = BacktestEngine::Forecast;
    bool all = false;
    std::optional<std::string> intervals;  ///< file to write them to
    std::optional<std::string> fit;        ///< file for the machine's correction
};

Result<std::vector<PublishedRun>> runsIn(const BacktestFlags& flags, const GlobalOptions& options) {
    const std::string path = options.at(flags.file);
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    FABRICAST_ASSIGN(const CsvText table, parseCsv(text, sourceName(path)));
    FABRICAST_ASSIGN(std::vector<PublishedRun> runs, readRuns(table));
    if (runs.empty()) {
        return fail(Error::Code::BadInput,
                    sourceName(path) + ":1",
                    "there is no row below the header",
                    "the columns are listed in docs/backtest.md");
    }
    return runs;
}

std::size_t threadsOf(const GlobalOptions& options) {
    const auto typed = static_cast<std::size_t>(options.threads);
    return typed > 0 ? typed : threadsOfMachine();
}

/// Also says of every row what the other sources say about it.
Result<void> writeIntervals(const BacktestFlags& flags,
                            const GlobalOptions& options,
                            Backtest& backtest) {
    StepIntervals intervals = fitIntervals(backtest.rows);
    if (!flags.intervals) {
        return {};
    }
    intervals.title = "Step time: measured over forecast, of four runs in five";
    intervals.from = std::filesystem::path(backtest.file).filename().string();
    const std::filesystem::path file = options.at(*flags.intervals);
    return writeTextFile(file.string(), stepIntervalsJson(intervals, file.stem().string()));
}

/// Written as a profile, of a GPU by its profile's name.
Result<void> writeCorrection(const BacktestFlags& flags,
                             const GlobalOptions& options,
                             MachineCorrection correction,
                             const ProfileStore& profiles) {
    FABRICAST_ASSIGN(const ProfileFile gpu, profiles.find(ProfileKind::Gpu, correction.gpu));
    correction.gpu = gpu.name;
    correction.title = "Step time: what our own runs say of our " + gpu.name;
    correction.from = std::filesystem::path(flags.file).filename().string();
    const std::filesystem::path file = options.at(*flags.fit);
    return writeTextFile(file.string(),
                         machineCorrectionJson(correction, profileName(file.stem().string())));
}

/// The forecasts of the backtest are corrected then.
Result<RunCatalog> fitted(const BacktestFlags& flags,
                          const GlobalOptions& options,
                          const std::vector<PublishedRun>& runs,
                          const ProfileStore& profiles,
                          const TimingProfiles& timing) {
    FABRICAST_ASSIGN(const RunCatalog catalog, RunCatalog::open(profiles));
    if (!flags.fit) {
        return catalog;
    }
    FABRICAST_ASSIGN(const MachineCorrection correction,
                     fitMachine(runs, catalog, timing, threadsOf(options)));
    FABRICAST_TRY(writeCorrection(flags, options, correction, profiles));
    return catalog.corrected(correction.clock, correction.network);
}

Result<Backtest> backtestOf(const BacktestFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<PublishedRun> runs, runsIn(flags, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(profiles));
    FABRICAST_ASSIGN(const RunCatalog catalog, fitted(flags, options, runs, profiles, timing));
    const bool simulates = flags.engine == BacktestEngine::Simulation;
    Backtest backtest{.file = sourceName(options.at(flags.file)),
                      .engine = simulates ? "simulation" : "forecast",
                      .groupBy = flags.groupBy,
                      .everyRow = flags.all};
    backtest.rows = backtestRows(runs,
                                 catalog,
                                 timing,
                                 {.threads = threadsOf(options),
                                  .model = simulates ? simulatedEstimate : estimateStep,
                                  .everyRow = flags.all,
                                  .progress = options.quiet ? nullptr : options.progress});
    FABRICAST_TRY(writeIntervals(flags, options, backtest));
    summariseRows(backtest);
    return backtest;
}

std::string rendered(const Backtest& backtest, const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return backtestJson(backtest, FABRICAST_VERSION);
        case Format::Csv:
            return backtestCsv(backtest);
        case Format::Markdown:
            return backtestMarkdown(backtest);
        case Format::Text:
            break;
    }
    return backtestText(backtest, options.verbose);
}

Result<Answer> runBacktest(const BacktestFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Backtest backtest, backtestOf(flags, options));
    return Answer{.text = rendered(backtest, options)};
}

}  // namespace

Command backtestCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app =
        program.add_subcommand("backtest", "How far forecasts of measured runs are off");
    app->footer(
        "The columns, and what is compared: docs/backtest.md.\n"
        "examples:\n"
        "  fabricast backtest tests/cases/published/runs.csv\n"
        "  fabricast backtest mine.csv --all --format csv\n"
        "  fabricast backtest mine.csv --fit our-profiles/corrections/our-h100.json");
    const auto flags = std::make_shared<BacktestFlags>();
    app->add_option("runs", flags->file, "a table of runs (CSV); - is standard input")
        ->option_text("RUNS.csv")
        ->required();
    addChoice<GroupBy>(*app, "--group-by", flags->groupBy, kGroups)
        ->description("source (the id without its number), gpu or stack");
    addChoice<BacktestEngine>(*app, "--engine", flags->engine, kEngines)
        ->description("what says how long steps take: forecast, or simulation (event by event)");
    app->add_flag("--all", flags->all, "summarise every row, not only core ones of tier A and B");
    app->add_option("--write-intervals", flags->intervals, "write how sure these runs say we are")
        ->option_text("FILE");
    app->add_option("--fit", flags->fit, "write how fast this machine is: its clock and network")
        ->option_text("FILE");
    return {app, [flags, &options] { return runBacktest(*flags, options); }};
}

}  // namespace fabricast
