#include "study/input_effects.h"

#include "planner/base/parallel_map.h"
#include "planner/estimate/estimate_step.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// Of a model or a cluster the name says enough.
bool mayHaveNone(const InputDifference& input) {
    return input.key.starts_with("settings.") || input.key.starts_with("layout.");
}

/// Whether the forecast of a side moves where its question is edited.
Result<bool> moves(const ComparedSide& side,
                   const Question& question,
                   const Edit& edit,
                   const Workbench& bench,
                   const Watch& watch) {
    FABRICAST_TRY(watch.check());
    const Result<Question> changed = with(question, {&edit, 1});
    const Result<LoadedScenario> loaded =
        changed ? loadScenario(changed->root, bench.profiles(), changed->folders)
                : tl::unexpected(changed.error());
    if (!loaded) {
        return true;
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    const Result<StepEstimate> step = estimateStep(loaded->scenario, *timing);
    if (step.has_value() != side.step.has_value() ||
        (step && (step->parts.seconds != side.step->parts.seconds ||
                  step->step.lo.count() != side.step->step.lo.count() ||
                  step->step.hi.count() != side.step->step.hi.count()))) {
        return true;
    }
    const Result<MemoryBreakdown> memory = memoryOfFullestStage(loaded->scenario, kNoLimit, watch);
    FABRICAST_TRY(watch.check());
    return !memory || memory->peak.value != side.memory.peak.value ||
           memory->peak.lo != side.memory.peak.lo || memory->peak.hi != side.memory.peak.hi ||
           memory->ofNode().perNode != side.memory.ofNode().perNode;
}

Result<bool> hasEffect(const InputDifference& input,
                       std::span<const Question> questions,
                       const Comparison& comparison,
                       const Workbench& bench,
                       const Watch& watch) {
    for (std::size_t side = 0; side < questions.size(); ++side) {
        std::vector<std::string> tried = {input.values[side]};
        for (const std::string& value : input.values) {
            if (std::ranges::find(tried, value) != tried.end()) {
                continue;
            }
            tried.push_back(value);
            FABRICAST_ASSIGN(const bool moved,
                             moves(comparison.sides[side],
                                   questions[side],
                                   {input.key, value, "--set"},
                                   bench,
                                   watch));
            if (moved) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

Result<void> markEffects(std::span<const Question> questions,
                         const Workbench& bench,
                         const Watch& watch,
                         Comparison& comparison) {
    const auto effects = parallelMap(
        std::span<const InputDifference>(comparison.inputs),
        [&](const InputDifference& input) -> Result<bool> {
            return mayHaveNone(input) ? hasEffect(input, questions, comparison, bench, watch)
                                      : Result<bool>(true);
        },
        {.threads = bench.threads()});
    for (std::size_t i = 0; i < comparison.inputs.size(); ++i) {
        FABRICAST_ASSIGN(comparison.inputs[i].hasEffect, (*effects)[i]);
    }
    return {};
}

}  // namespace fabricast
