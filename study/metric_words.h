#pragma once
#include <string>

namespace fabricast {

/// Targets take the words of requirements and of JSON, too: "step_s" → "step", "tokens_per_s" →
/// "tokens-per-s"; any other word as it is.
std::string targetWord(const std::string& typed);

}  // namespace fabricast
