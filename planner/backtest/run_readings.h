#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/base/result.h"
#include "planner/result/backtest_result.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What the row's memory was read from: its column memory_kind, or else its notes.
MemoryReading memoryReading(const PublishedRun& run);

/// The forecast of that reading on the rank with the highest peak, in bytes. Unknown readings
/// are compared with the memory of tensors.
Bytes forecastReading(const StageMemory& stage, MemoryReading reading);

/// Why a run took another amount of memory than its settings say, or empty: torchtune steps inside
/// backward, and splits the loss into chunks, in ways that are not modelled here.
std::string unknownMemory(const PublishedRun& run);

/// Whether a text has a part (given in lower case), in any case.
bool mentions(std::string_view text, std::string_view part);

/// The whole number behind a key such as "experts="; 0 where there is none.
std::int64_t numberAfter(std::string_view text, std::string_view key);

/// Of how many of Megatron's layers the notes move the activations to the host.
inline std::int64_t layersOnHost(const PublishedRun& run) {
    return numberAfter(run.notes, "cpu_offloading_num_layers=");
}

/// What the release of the row's software and its notes mention: attention kernels by year,
/// compilation, overlaps, CUDA graphs.
void readRelease(const PublishedRun& run, const Scenario& scenario, Settings& settings);
void readNotes(const PublishedRun& run, Settings& settings);

/// Which layers the notes put on each stage, as Megatron writes it ("pp_layout=Et*4|(t*4|)*14tmL").
Result<void> readStages(const PublishedRun& run, Scenario& scenario);

/// A published run as a scenario: its stack's defaults, overridden by the row. A row that
/// lacks what a forecast needs is an error that names the column.
struct RunScenario {
    Scenario scenario;
    std::vector<std::string> assumed;  ///< what the row leaves out
};
Result<RunScenario> runScenario(const PublishedRun& run, const RunCatalog& catalog);

/// The supported stack that is the row's software, or is closest to it.
Result<const Stack*> stackOf(const PublishedRun& run);

/// How that software ran: the stack's defaults, the row's precision, recompute, optimizer and
/// tuning, and what its family does differently.
Result<void> applySettings(const PublishedRun& run, const Stack& stack, RunScenario& result);

/// Whether every count of a row could be one of a training run. Larger ones are mistakes of typing,
/// which would take longer to forecast than anyone waits.
Result<void> checkLimits(const PublishedRun& run);

/// Whether the cells of words say something that is modelled: a word that is not is no default.
Result<void> checkWords(const PublishedRun& run);

}  // namespace fabricast
