#pragma once
#include "planner/launch/python_branches.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A condition on the name of a weight, with its operators behind their operands: {"has lm_head",
/// "starts model.layers", "or", "not"}, "true".
using NameCondition = std::vector<std::string>;

/// What a program asks of a weight's name; nothing where it asks for anything else.
///     "lora" in name or name.endswith("bias")  →  {"has lora", "ends bias", "or"}
std::optional<NameCondition> nameCondition(const PythonValues& program,
                                           const WordSpan& condition,
                                           const std::string& variable);

/// Whether a name meets it.
bool meets(std::string_view name, std::span<const std::string> condition);

}  // namespace fabricast
