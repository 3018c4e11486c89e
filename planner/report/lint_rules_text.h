#pragma once
#include "planner/report/format.h"
#include "planner/result/lint_report.h"

#include <span>
#include <string>

namespace fabricast {

/// The rules of `lint` as a list: code, severity, what each finds and why that matters; as JSON
/// "fabricast.lint_rules/1".
std::string lintRulesText(std::span<const ListedRule> rules, Format format);

}  // namespace fabricast
