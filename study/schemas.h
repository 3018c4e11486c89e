#pragma once
#include "planner/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Of which files and answers there is a JSON Schema: "scenario", "plan", "gpu", …, by name.
std::vector<std::string> schemaNames();

/// The JSON Schema of an input or an answer. A scenario's has every key of layout and settings that
/// is read, with the values it can have.
///     FABRICAST_ASSIGN(const std::string schema, schemaText("scenario"));
Result<std::string> schemaText(std::string_view name);

}  // namespace fabricast
