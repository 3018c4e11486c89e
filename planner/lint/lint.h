#pragma once
#include "planner/lint/lint_rule.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// All rules, by their codes.
std::vector<LintRule> allLintRules();

/// What the rules find in files that belong together: the worst first, then in the files' order.
///     lint({LintFile(opened)}, {.gpus = 16})
std::vector<LintFinding> lint(std::span<const LintFile> files, const LintFacts& facts);

}  // namespace fabricast
