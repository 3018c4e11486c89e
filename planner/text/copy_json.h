#pragma once
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <string_view>

namespace fabricast {

/// Writes a value that was read as a member of what is being written. Lists may hold numbers and
/// strings.
void copyJson(JsonText& json, std::string_view key, const JsonValue& value);

}  // namespace fabricast
