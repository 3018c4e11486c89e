#pragma once
#include "planner/result/rejection.h"
#include "planner/spec/scenario.h"

#include <string>
#include <vector>

namespace fabricast {

/// Where notes say that quantised weights are taken as they are, and a program that prepares them
/// would fit less surely than the verdict says: how much it would take, and what becomes of it.
void addKbitConsequence(const Scenario& scenario, Verdict verdict, std::vector<std::string>& notes);

}  // namespace fabricast
