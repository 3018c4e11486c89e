#pragma once
#include "planner/text/json_document.h"

#include <string>
#include <vector>

namespace fabricast {

/// Every string in a value, in its order: of lists and of objects at any depth. Nothing of nullptr.
///     for (const std::string& note : stringsIn(imported->find("notes"))) { … }
std::vector<std::string> stringsIn(const JsonValue* value);

}  // namespace fabricast
