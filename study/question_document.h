#pragma once
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <string_view>

namespace fabricast {

// The document of a question, as those see it who read one and who edit one.

/// The value at a dotted path; null where there is none.
const JsonValue* valueAt(const JsonValue& root, std::string_view path);

/// Parts that are written as one word ("cluster": "dgx-h100") as the objects that edits can add
/// keys to.
Result<JsonValue> withObjects(JsonValue root);

/// What a word stands for in place of it: LoRA over a base of 4 bits for "tuning": "qlora".
Result<JsonValue> withoutWords(JsonValue root);

}  // namespace fabricast
