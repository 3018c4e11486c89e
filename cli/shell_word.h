#pragma once
#include <string>

namespace fabricast {

/// A word as it is typed in a shell: in quotes where it needs them.
std::string shellWord(const std::string& word);

}  // namespace fabricast
