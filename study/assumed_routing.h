#pragma once
#include "planner/spec/scenario.h"
#include "study/question.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// One line where a forecast takes every rank of experts to receive its even share, and nobody
/// said so: without a capacity a router may send one of them more.
std::vector<std::string> assumedRouting(const Question& question,
                                        std::span<const Scenario* const> forecast);

}  // namespace fabricast
