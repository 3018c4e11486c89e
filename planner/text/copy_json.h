#pragma once
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <string_view>

namespace fabricast {

/// Writes a value that was read as a member of what is being written, or as an item of a list.
void copyJson(JsonText& json, std::string_view key, const JsonValue& value);

}  // namespace fabricast
