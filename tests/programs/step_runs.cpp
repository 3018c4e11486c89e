// step_runs RUNS.csv: forecasts every run and prints id, measured and forecast seconds, and parts.
#include "planner/backtest/forecast_run.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/csv_text.h"
#include "planner/text/text_files.h"

#include <cstdio>

using namespace fabricast;

int main(int argc, char** argv) {
    if (argc < 2) {
        return 2;
    }
    const auto text = readTextFile(argv[1]);
    if (!text) {
        return 2;
    }
    const auto table = parseCsv(*text, argv[1]);
    if (!table) {
        std::fprintf(stderr, "%s\n", table.error().text().c_str());
        return 2;
    }
    const auto runs = readRuns(*table);
    if (!runs) {
        std::fprintf(stderr, "%s\n", runs.error().text().c_str());
        return 2;
    }
    const ProfileStore profiles =
        argc > 2 ? *ProfileStore::open(std::vector<std::string>{argv[2]}) : ProfileStore::builtIn();
    const auto catalog = RunCatalog::open(profiles);
    if (!catalog) {
        std::fprintf(stderr, "%s\n", catalog.error().text().c_str());
        return 2;
    }
    const auto timing = loadTiming(profiles);
    if (!timing) {
        std::fprintf(stderr, "%s\n", timing.error().text().c_str());
        return 2;
    }
    for (const PublishedRun& run : *runs) {
        if (!run.core || (run.tier != "A" && run.tier != "B") || !run.stepSeconds) {
            continue;
        }
        const RunForecast forecast = forecastRun(run, *catalog, *timing);
        std::printf("%s,%s,%s,%s,%s,%s,%g,",
                    run.id.c_str(),
                    run.stack.c_str(),
                    run.gpu.c_str(),
                    run.experts.empty() ? "dense" : "moe",
                    run.tuning.c_str(),
                    run.precision.c_str(),
                    *run.stepSeconds);
        if (forecast.step) {
            std::printf("%g", forecast.step->step.value.count());
            for (const double part : forecast.step->parts.seconds) {
                std::printf(",%.5g", part);
            }
            std::printf("\n");
        } else {
            std::printf(",%s\n", forecast.why.c_str());
        }
    }
    return 0;
}
