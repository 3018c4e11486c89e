#pragma once
#include "planner/text/json_document.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// parseJson of a text that begins in this line of its source: one line of a file of lines.
Result<JsonValue> parseJsonFrom(std::string_view text,
                                const std::string& source,
                                std::int64_t line);

}  // namespace fabricast
