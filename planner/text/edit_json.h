#pragma once
#include "planner/text/json_document.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The text of a JSON document, changed to say `wanted`: what says the same keeps its bytes, with
/// the comments, the order and the spaces around it. `said` is what the text was taken to say,
/// which may be more than it holds: {"name": "dgx-h100"} of a text that says "dgx-h100".
///     FABRICAST_ASSIGN(const JsonValue said, parseJson(text, "run.json"));
///     FABRICAST_ASSIGN(const std::string edited, editedJson(text, said, wanted));
Result<std::string> editedJson(std::string_view text,
                               const JsonValue& said,
                               const JsonValue& wanted);

/// Whether both say the same, in whichever order.
bool isSameJson(const JsonValue& one, const JsonValue& other);

/// The value on one line: { "name": "dgx-h100", "nodes": 1 }.
std::string inlineJson(const JsonValue& value);

/// The comments of a JSON text in their order, with their marks.
std::vector<std::string> commentsOf(std::string_view text);

}  // namespace fabricast
