#pragma once
#include <string>
#include <vector>

namespace fabricast {

/// A word as it is typed in a shell: quoted where it needs to be.
std::string shellWord(const std::string& word);

/// A command line of such words.
std::string shellCommand(const std::vector<std::string>& words);

}  // namespace fabricast
