#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/result/plan_report.h"
#include "planner/spec/scenario.h"
#include "study/sensitivity.h"
#include "study/workbench.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The numbers that an answer prints, made again from other premises; none where they cannot be.
using Figures = std::function<std::vector<double>(const Premises&)>;

/// What an answer prints of a layout.
struct Printed {
    bool memory = true;
    bool step = true;
    bool calls = false;                   ///< those that kernels hide as well
    std::optional<BudgetFacts> budget{};  ///< of the step's cost; empty: none is printed
};
Figures figuresOf(const Printed& printed);

/// Which of the user's own measurements an answer about these layouts of one machine leans on:
/// those without which its numbers would be others, "measured: our-h100, 2026-11-20"; and which are
/// left out for newer ones that it does lean on. Nothing where all is built in.
Result<std::vector<std::string>> ownMeasurementNotes(std::span<const Scenario> scenarios,
                                                     const Figures& figures,
                                                     const Workbench& bench);

/// One of the user's own measurements, as an answer names it, and the premises without it.
struct OwnMeasurement {
    std::string note;
    Turn without;
};
/// All that a forecast of this machine may lean on, each to be judged alone: of several of one
/// machine, without the first are those too that would step in for it.
Result<std::vector<OwnMeasurement>> ownMeasurementsOf(const NodeSpec& node, const Workbench& bench);

/// The same of plans.
Result<std::vector<std::string>> ownMeasurementNotes(std::span<const Plan> plans,
                                                     const BudgetFacts& budget,
                                                     const Workbench& bench);

/// Adds notes that are not there yet.
void addNotes(const std::vector<std::string>& more, std::vector<std::string>& notes);

/// A file of measured collectives as notes name it: "ours" of "measured-ours".
std::string collectivesTitle(std::string_view name);

}  // namespace fabricast
