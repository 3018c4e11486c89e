#include "study/oom_guesses.h"

#include "planner/base/quantity_text.h"
#include "planner/load/kbit_preparation_note.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace fabricast {
namespace {

using Edits = std::vector<Edit>;

Edits preparation() {
    return {{"settings.lora.prepared_for_kbit", "true", "--set"}};
}

/// What people most often say otherwise than it ran.
std::vector<Edits> otherQuestions(const Scenario& scenario) {
    std::vector<Edits> all;
    for (const std::int64_t times : {2, 4, 8}) {
        all.push_back(
            {{"layout.micro_batch", std::to_string(times * scenario.layout.microBatch), "--layout"},
             {"workload.global_batch",
              std::to_string(times * scenario.workload.globalBatch),
              "--global-batch"}});
        all.push_back(
            {{"workload.sequence", std::to_string(times * scenario.workload.sequence), "--seq"}});
    }
    for (const char* const recompute : {"none", "selective", "core_attn", "full"}) {
        all.push_back({{"layout.recompute", recompute, "--layout"}});
    }
    if (scenario.layout.tp > 1 && !scenario.layout.sp) {
        all.push_back({{"layout.sp", "on", "--layout"}});
    }
    if (scenario.layout.microBatch % 2 == 0) {
        const std::string half = std::to_string(scenario.layout.microBatch / 2);
        all.push_back({{"layout.micro_batch", half, "--layout"}});
    }
    if (scenario.settings.kernels.loss != LossKernel::Fp32Upcast) {
        all.push_back({{"settings.kernels.loss", "fp32_upcast", "--set"}});
    }
    if (mayBePreparedForKbit(scenario)) {
        all.push_back(preparation());
    }
    return all;
}

double distance(const OomGuess& guess, Bytes needed) {
    return std::abs(std::log(guess.peak / needed));
}

}  // namespace

Result<std::vector<OomGuess>> guessesFor(const Question& question,
                                         const Scenario& scenario,
                                         Bytes needed,
                                         double within,
                                         const Workbench& bench,
                                         const Watch& watch) {
    constexpr std::size_t kMost = 3;
    std::vector<OomGuess> guesses;
    for (const Edits& edits : otherQuestions(scenario)) {
        FABRICAST_TRY(watch.check());
        const Result<Question> changed = with(question, edits);
        const Result<LoadedScenario> loaded =
            changed ? loadScenario(changed->root, bench.profiles(), changed->folders)
                    : tl::unexpected(changed.error());
        if (!loaded) {
            continue;  // longer than the model's positions, or a batch that does not divide
        }
        FABRICAST_ASSIGN(const MemoryBreakdown memory, memoryOfAllStages(loaded->scenario, watch));
        OomGuess guess{.typed = typed(edits), .peak = memory.peak.value};
        if (distance(guess, needed) <= std::log1p(within)) {
            guesses.push_back(std::move(guess));
        }
    }
    std::ranges::stable_sort(
        guesses, {}, [needed](const OomGuess& guess) { return distance(guess, needed); });
    guesses.resize(std::min(guesses.size(), kMost));
    return guesses;
}

Result<std::optional<OomCause>> preparationFor(const Question& question,
                                               const Scenario& scenario,
                                               const MemoryMessage& message,
                                               const MemoryBreakdown& forecast,
                                               const Workbench& bench,
                                               const Watch& watch) {
    constexpr double kNotablyMore = 1.02;
    const Bytes held = message.allocated.value_or(Bytes()) + message.tried.value_or(Bytes());
    const Bytes ours = forecast.stages[forecast.fullest].allocated;
    if (!message.allocated || held / ours < kNotablyMore || !mayBePreparedForKbit(scenario)) {
        return std::optional<OomCause>();
    }
    FABRICAST_ASSIGN(const Question changed, with(question, preparation()));
    FABRICAST_ASSIGN(const LoadedScenario loaded,
                     loadScenario(changed.root, bench.profiles(), changed.folders));
    FABRICAST_ASSIGN(const MemoryBreakdown prepared, memoryOfAllStages(loaded.scenario, watch));
    const Bytes theirs = prepared.stages[prepared.fullest].allocated;
    if (held / theirs > 1.0 + kNearlySame) {
        return std::optional<OomCause>();  // that much is not of the preparation alone
    }
    return std::optional<OomCause>(
        {"preparation: tensors of " + shortText(held) + " were asked for where " + shortText(ours) +
             " are forecast; peft's prepare_model_for_kbit_training casts what is not quantised "
             "to fp32, and is not counted: with it, up to " +
             shortText(theirs),
         typed(preparation()) + " with the scenario, if the program calls it"});
}

}  // namespace fabricast
