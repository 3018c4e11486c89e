#include "study/backtest.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/backtest_report.h"
#include "probes/record/utc_now.h"
#include "study/fit_files.h"

#include <algorithm>
#include <array>
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

/// What compares nothing has no answer. A fit that no machine gained by has one, and no file.
ExitCode backtestCode(const Backtest& backtest) {
    const std::vector<MachineFit>& fits = backtest.fits;
    const bool none = std::ranges::none_of(
        fits, [](const MachineFit& fit) { return fit.correction.has_value(); });
    return !backtest.compares() || (!fits.empty() && none) ? ExitCode::DoesNotFit : ExitCode::Ok;
}

struct ShownBacktest {
    Backtest backtest;
    bool verbose = false;
};
using BacktestForm = AnswerForm<ShownBacktest>;
constexpr std::array kBacktestForms = {
    BacktestForm{
        "text", [](const ShownBacktest& all) { return backtestReport(all.backtest, all.verbose); }},
    BacktestForm{
        "json",
        [](const ShownBacktest& all) { return backtestJson(all.backtest, FABRICAST_VERSION); }},
    BacktestForm{"csv", [](const ShownBacktest& all) { return backtestCsv(all.backtest); }},
    BacktestForm{"md", [](const ShownBacktest& all) { return backtestMarkdown(all.backtest); }}};

Result<Answer> runBacktest(const BacktestFlags& flags, const GlobalOptions& options) {
    if (flags.fit) {
        FABRICAST_TRY(checkFitFile(*flags.fit, options.directory));
    }
    FABRICAST_ASSIGN(const RunTable table, readRunTable(options.at(flags.file)));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    BacktestAsk ask = flags.ask;
    ask.fitMachine = flags.fit.has_value();
    ask.date = utcNow().substr(0, std::string_view("2026-01-01").size());
    FABRICAST_ASSIGN(BacktestAnswer found, backtest(table, ask, bench, options.watch()));
    const std::vector<MachineFit> fits = found.backtest.fits;
    if (flags.fit) {
        FABRICAST_TRY(writeFits(*flags.fit, options.directory, fits));
    }
    if (flags.intervals) {
        FABRICAST_TRY(writeIntervals(options.at(*flags.intervals), found.intervals));
    }
    const ExitCode code = backtestCode(found.backtest);
    const std::vector<std::string> doubts = found.backtest.doubts;
    Answer answer = answerIn(
        options.format, ShownBacktest{std::move(found.backtest), options.verbose}, kBacktestForms);
    answer.code = code;
    if (flags.fit) {
        answer.remarks = fitRemarks(*flags.fit, fits, table, bench);
    }
    for (const std::vector<std::string>& more : {table.unread, doubts}) {
        answer.remarks.insert(answer.remarks.end(), more.begin(), more.end());
    }
    return answer;
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
