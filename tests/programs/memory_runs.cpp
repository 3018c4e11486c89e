// memory_runs RUNS.csv [--rows]: peak memory of published runs against the product's answer, by
// source: how many rows, bias and mean absolute error, of what tensors take and of what is
// reserved.
#include "planner/memory/overheads.h"
#include "planner/memory/walk_stage.h"
#include "tests/programs/oracle_rows/published_run.h"
#include "tests/support/case_table.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

namespace fabricast {
namespace {

struct Tally {
    int rows = 0;
    int refused = 0;
    double allocatedBias = 0;
    double allocatedError = 0;
    double reservedBias = 0;
    double reservedError = 0;
    double deviceBias = 0;  ///< reserved, the CUDA context and NCCL's buffers
    double deviceError = 0;
    std::map<std::string, int> reasons;
};

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

/// The stage with the highest peak, with the allocator replayed.
Result<StageMemory> fullestStage(const Scenario& scenario) {
    StageMemory fullest;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(const StageMemory walked, peakOfStage(scenario, {.stage = stage}));
        if (walked.allocated > fullest.allocated) {
            fullest = walked;
        }
    }
    return walkStage(scenario, {.stage = fullest.stage});
}

void addRow(const CsvTable& table, std::size_t row, Tally& tally, bool print) {
    const auto scenario = publishedRun(table, row);
    const auto memory = scenario.and_then([](const Scenario& said) { return fullestStage(said); });
    if (!memory) {
        ++tally.refused;
        ++tally.reasons[memory.error().text()];
        return;
    }
    const double measured = table.number(row, "measured_mem_gib") * kGiB;
    const double allocated = static_cast<double>(memory->allocated.count()) / measured - 1;
    const double reserved = static_cast<double>(memory->reserved.value.count()) / measured - 1;
    ++tally.rows;
    tally.allocatedBias += allocated;
    tally.allocatedError += std::abs(allocated);
    tally.reservedBias += reserved;
    tally.reservedError += std::abs(reserved);
    const RuntimeOverhead overhead = runtimeOverhead(*scenario);
    const double beside =
        static_cast<double>((overhead.context.value + overhead.collectives.value).count());
    const double device = reserved + beside / measured;
    tally.deviceBias += device;
    tally.deviceError += std::abs(device);
    if (print) {
        std::printf("%s allocated %+.1f %% reserved %+.1f %% of %.1f GiB at %s\n",
                    table.text(row, "id").c_str(),
                    100 * allocated,
                    100 * reserved,
                    measured / kGiB,
                    memory->peakAt.c_str());
    }
}

void printTally(const std::string& source, const Tally& tally) {
    const auto mean = [&](double sum) { return tally.rows == 0 ? 0.0 : 100 * sum / tally.rows; };
    std::printf("%-10s %5d %7d   %+7.1f %6.1f   %+7.1f %6.1f   %+7.1f %6.1f\n",
                source.c_str(),
                tally.rows,
                tally.refused,
                mean(tally.allocatedBias),
                mean(tally.allocatedError),
                mean(tally.reservedBias),
                mean(tally.reservedError),
                mean(tally.deviceBias),
                mean(tally.deviceError));
    for (const auto& [reason, count] : tally.reasons) {
        std::printf("           %d x %s\n", count, reason.c_str());
    }
}

int run(int argc, char** argv) {
    const bool rows = argc == 3 && std::strcmp(argv[2], "--rows") == 0;
    if (argc != 2 && !rows) {
        std::fprintf(stderr, "usage: memory_runs RUNS.csv [--rows]\n");
        return 2;
    }
    const CsvTable table = CsvTable::read(argv[1]);
    std::map<std::string, Tally> sources;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!table.text(row, "measured_mem_gib").empty()) {
            const std::string id = table.text(row, "id");
            addRow(table, row, sources[id.substr(0, id.find('-'))], rows);
        }
    }
    std::printf(
        "source        n refused   allocated: bias, mean %%   reserved: bias, mean %%   device: "
        "bias, mean %%\n");
    for (const auto& [source, tally] : sources) {
        printTally(source, tally);
    }
    return 0;
}

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    return fabricast::run(argc, argv);
}
