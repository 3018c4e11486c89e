#pragma once
#include "planner/result/advice.h"
#include "planner/text/json_document.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.advice/1" document: every way to train with its best layout, what is advised, and
/// the advice in other situations.
///     .recommended.{key,stack,layout,step_s,cost}   .steps[].{key,answer,why,plan}   .changes[]
std::string adviceJson(const Advice& advice, const JsonValue* asked, std::string_view version);

}  // namespace fabricast
