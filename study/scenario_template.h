#pragma once
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// A scenario file to be edited: every part of one, with what it means. What `root` does not say
/// stands there as a comment.
///     // A built-in name (fabricast profiles list --kind model), or a config.json
///     "model": "llama-3.1-8b",
std::string scenarioTemplate(const JsonValue& root);

}  // namespace fabricast
