#pragma once
#include "gui/charts/memory_bars.h"
#include "gui/charts/tornado.h"
#include "gui/charts/waterfall.h"
#include "planner/report/table.h"
#include "planner/result/comparison.h"
#include "planner/result/explanation.h"
#include "planner/result/hardware_answer.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/runtime_names.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// A row per number of the cost, with its interval and the key of its formula.
struct CostRows {
    Table table;
    std::vector<std::string> why;
};
CostRows costRows(const RunCost& cost);

/// What the price rests on, a line each.
std::vector<std::string> costBasisLines(const RunCost& cost, const CostBasis& basis);

/// A row per box: what the model does on it, what it costs, and when buying is cheaper.
Table hardwareRows(const HardwareAnswer& answer);
/// What the rows do not say: why a price is not known, and what was assumed.
std::vector<std::string> hardwareNotes(const HardwareAnswer& answer);
/// Which box is cheapest and which is fastest, in a sentence.
std::string hardwareHeadline(const HardwareAnswer& answer);

/// The stages of A as bars, those of B behind them; `other` may be null.
MemoryBarValues memoryBars(const MemoryBreakdown& memory,
                           const MemoryBreakdown* other,
                           const RuntimeNames& names);

/// A row per part of the fullest stage, with its formula, and what B has of it.
struct MemoryParts {
    Table table;
    std::vector<std::string> why;  ///< the key of each row's formula; empty: none
};
MemoryParts memoryParts(const MemoryBreakdown& memory,
                        const MemoryBreakdown* other,
                        const RuntimeNames& names);

/// "stage 0 needs most: 66.4 of 79.2 GiB, at the loss".
std::string memoryHeadline(const MemoryBreakdown& memory);

/// The key behind a part of `memoryBars`, of a stage.
std::string memoryPartKey(const MemoryBarValues& values,
                          const RuntimeNames& names,
                          std::size_t stage,
                          std::size_t part);

/// A row per part of the step, what takes longest first, with the key of its formula.
struct TimeParts {
    Table table;
    std::vector<std::string> why;
};
TimeParts timeParts(const StepEstimate& step);

/// What a step goes to, in one sentence: "54 % of the step is arithmetic, 21 % waiting for the
/// network; the largest loss is …".
std::string timeHeadline(const StepEstimate& step);

/// How A's step becomes B's, part by part.
WaterfallValues stepWaterfall(const Waterfall& fall, bool perTokens);

/// What twice as much of each thing does to the speed, with the layout held and with the best one.
TornadoValues speedTornado(const Sensitivity& sensitivity);
/// The same as rows, with the best layout under the change where it was searched.
Table sensitivityRows(const Sensitivity& sensitivity);

}  // namespace fabricast
