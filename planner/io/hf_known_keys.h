#pragma once
#include "planner/io/json_document.h"

#include <string>

namespace fabricast {

/// The keys of a config.json that no family here reads and that are not known to be without effect
/// on a model's shape, quoted and in the order of the file: "\"d_conv\", \"d_state\" and 4 more".
std::string keysNobodyReads(const JsonValue& config);

}  // namespace fabricast
