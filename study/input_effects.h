#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/comparison.h"
#include "planner/spec/scenario.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// Marks the settings and layout keys of a comparison that change nothing on any of its sides: each
/// side is forecast again with the value of every other one, and neither its memory nor its step
/// moves. What is refused there has an effect. `questions` are those of the sides, in their order.
Result<void> markEffects(std::span<const Question> questions,
                         const Workbench& bench,
                         const Watch& watch,
                         Comparison& comparison);

/// One key of a question and its value, as they are typed: "layout.tp" and "8".
struct ScenarioInput {
    std::string key;
    std::string value;
};

/// The complete scenario, filled in: model, cluster, workload, layout and settings,
/// always in the same order with the same keys.
std::vector<ScenarioInput> scenarioInputs(const Scenario& scenario);

/// The keys whose values are not the same on all sides.
std::vector<InputDifference> inputDifferences(const std::vector<ComparedSide>& sides);

/// Puts answers side by side: what was asked differently, what came out differently, and which
/// parts of time and memory make the difference.
///     const Comparison comparison = compareSides({a, b}, 0);
///     comparison.differences[0].time->parts  →  {"gemm", -0.12}, {"recompute", -0.31}, …
/// A difference within the error of a comparison is Equal: the order is not known.
Comparison compareSides(std::vector<ComparedSide> sides, std::size_t baseline);

/// All that is known of one layout, to be put beside others: its memory, and where the stack has a
/// time forecast its step and cost. `name` and `source` are what the side is called.
Result<ComparedSide> answeredSide(const Question& question,
                                  const Workbench& bench,
                                  std::string name,
                                  std::string source);

}  // namespace fabricast
