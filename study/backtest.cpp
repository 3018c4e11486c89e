#include "study/backtest.h"

#include "planner/backtest/backtest_runs.h"
#include "planner/backtest/fit_machine.h"
#include "planner/backtest/run_catalog.h"
#include "planner/backtest/run_groups.h"
#include "planner/base/nearest_name.h"
#include "planner/load/measured_notes.h"
#include "planner/text/csv_text.h"
#include "planner/text/text_files.h"
#include "simulator/program/simulate_step.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// What sources state of a run's measurement; two of them follow from the others, and are not read.
constexpr std::array<std::string_view, 5> kMeasured = {"measured_step_s",
                                                       "measured_tokens_s_gpu",
                                                       "measured_mem_gib",
                                                       "measured_mfu",
                                                       "measured_tflops_gpu"};

/// About columns that look measured and are none of these.
std::vector<std::string> unreadColumns(const CsvText& csv) {
    std::vector<std::string> unread;
    for (const auto& [column, place] : csv.columns) {
        const bool isKnown = std::ranges::find(kMeasured, column) != kMeasured.end();
        if (column.starts_with("measured_") && !isKnown) {
            unread.push_back("column \"" + column +
                             "\" is not read: " + suggestName(column, kMeasured));
        }
    }
    return unread;
}

/// How fast the machines of these runs are.
Result<std::vector<MachineFit>> fitsOf(const RunTable& table,
                                       const RunCatalog& catalog,
                                       const TimingProfiles& timing,
                                       const BacktestAsk& ask,
                                       const Workbench& bench) {
    FABRICAST_ASSIGN(std::vector<MachineFit> fits,
                     fitMachines(table.runs, catalog, timing, bench.threads()));
    for (MachineFit& fit : fits) {
        if (fit.correction) {
            fit.correction->title = "Step time: correction from our own runs, " + fit.gpu;
            fit.correction->from = std::filesystem::path(table.file).filename().string();
            fit.correction->date = ask.date;
        }
    }
    return fits;
}

RunCatalog corrected(const RunCatalog& catalog, const std::vector<MachineFit>& fits) {
    std::map<std::string, OwnSpeed> own;
    for (const MachineFit& fit : fits) {
        own[fit.gpu] = fit.correction ? OwnSpeed{.name = "own",
                                                 .date = {},
                                                 .factors = fit.correction->factors(),
                                                 .intervals = fit.correction->intervals,
                                                 .like = fit.correction->like}
                                      : OwnSpeed{};
    }
    return catalog.corrected(std::move(own));
}

/// What of the user's own profiles the forecasts lean on. Corrections that are fitted anew are not
/// among it.
Result<std::vector<std::string>> ownNotes(const RunTable& table,
                                          const RunCatalog& catalog,
                                          const BacktestAsk& ask,
                                          const ProfileStore& profiles) {
    std::map<std::string, ClusterSpec> clusters;
    for (const PublishedRun& run : ask.fitMachine ? std::vector<PublishedRun>() : table.runs) {
        if (const std::string gpu = catalog.gpuName(run); !clusters.contains(gpu)) {
            if (Result<ClusterSpec> cluster = catalog.clusterOf(run)) {
                clusters.emplace(gpu, *std::move(cluster));
            }
        }
    }
    std::vector<std::string> own;
    for (const auto& [gpu, cluster] : clusters) {
        FABRICAST_ASSIGN(const auto notes, correctionNotes(cluster, profiles));
        for (const std::string& note : notes) {
            if (note.starts_with(kMeasuredNote)) {
                own.push_back(gpu + ": " + note.substr(kMeasuredNote.size()));
            }
        }
    }
    FABRICAST_ASSIGN(const ProfileFile intervals, intervalsInUse(profiles));
    if (intervals.isOwn()) {
        own.push_back("intervals of " + intervals.name);
    }
    return own;
}

}  // namespace

Result<RunTable> readRunTable(const std::string& path) {
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    FABRICAST_ASSIGN(const CsvText csv, parseCsv(text, sourceName(path)));
    RunTable table{.file = sourceName(path), .runs = {}, .unread = unreadColumns(csv)};
    FABRICAST_ASSIGN(table.runs, readRuns(csv));
    if (table.runs.empty()) {
        return fail(Error::Code::BadInput,
                    table.file + ":1",
                    "the table has no rows",
                    "the columns are listed in docs/backtest.md");
    }
    return table;
}

Result<BacktestAnswer> backtest(const RunTable& table,
                                const BacktestAsk& ask,
                                const Workbench& bench,
                                const Watch& watch) {
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(RunCatalog catalog, RunCatalog::open(bench.profiles()));
    BacktestAnswer answer;
    std::vector<MachineFit> fits;
    if (ask.fitMachine) {
        FABRICAST_ASSIGN(fits, fitsOf(table, catalog, *timing, ask, bench));
        catalog = corrected(catalog, fits);
        FABRICAST_TRY(watch.check());
    }
    const bool simulates = ask.engine == BacktestEngine::Simulation;
    answer.backtest = {.file = table.file,
                       .engine = simulates ? "simulation" : "forecast",
                       .groupBy = ask.groupBy,
                       .everyRow = ask.everyRow};
    answer.backtest.unread = table.unread;
    FABRICAST_ASSIGN(answer.backtest.notes, ownNotes(table, catalog, ask, bench.profiles()));
    answer.backtest.doubts = doubtsOf(table.runs, catalog);
    answer.backtest.fits = std::move(fits);
    answer.backtest.rows = backtestRows(table.runs,
                                        catalog,
                                        *timing,
                                        {.threads = bench.threads(),
                                         .model = simulates ? simulatedEstimate : estimateStep,
                                         .everyRow = ask.everyRow,
                                         .progress = watch.progress,
                                         .stop = watch.stop});
    FABRICAST_TRY(watch.check());
    // This also tells every row what the other sources say about it.
    answer.intervals = fitIntervals(answer.backtest.rows);
    answer.intervals.title = "Step time: measured over forecast, of four runs in five";
    answer.intervals.from = std::filesystem::path(table.file).filename().string();
    summariseRows(answer.backtest);
    answer.intervals.comparison = comparisonErrorOf(answer.backtest.all.pairs);
    return answer;
}

}  // namespace fabricast
