#pragma once
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {

/// The words of a line as typed, without quotes.
inline std::vector<std::string> typedWords(const std::string& line) {
    std::vector<std::string> typed;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        typed.push_back(word);
    }
    return typed;
}

}  // namespace fabricast
