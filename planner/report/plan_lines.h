#pragma once
#include "planner/report/plan_views.h"

#include <span>
#include <string>

namespace fabricast {

// What is said below the table of plans, a line or two each; empty where there is nothing to say.

/// What the money in the table rests on.
std::string costLine(const PlanReport& report);
/// How much slower the second plan is than the first, by which parts, and whether that is more than
/// the error of a comparison.
std::string runnerUpText(const PlanReport& report);
/// What "alike" is, where a plan has some; and what the first plan is slower by than the best that
/// may fit. Without the flags that list them, and without an end of line.
std::string spellingsText(std::span<const Plan> plans);
std::string safetyPriceText(const PlanReport& report);
/// Which rows stand for several layouts, and the price of choosing one that fits.
std::string safetyText(const PlanReport& report);
/// Which plans keep states in host memory, and what their times rest on.
std::string offloadText(const PlanReport& report);
/// Which rows train otherwise than the first, which the heading is of.
std::string precisionsText(const PlanReport& report);
/// What was not looked at, and which stacks were not; a line each.
std::string unseenText(const PlanReport& report);
/// What was assumed and measured, and what is left out until more is said.
std::string notesText(const PlanReport& report);

}  // namespace fabricast
