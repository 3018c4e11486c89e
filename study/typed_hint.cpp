#include "study/typed_hint.h"

#include "study/typed_edits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 7> kPartsOfQuestion = {
    "settings.", "layout.", "workload.", "cluster.", "operation.", "price.", "search."};

/// The key that a word says a value of, in full: "layout.cp" of "cp=1,"; empty: of none.
std::string keySaidIn(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string typed = word.substr(0, equals);
    const bool isWord =
        equals != std::string::npos && equals > 0 && equals + 1 < word.size() &&
        typed.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos;
    if (!isWord) {
        return "";
    }
    const bool isPart = std::ranges::any_of(
        kPartsOfQuestion,
        [&typed](const std::string_view part) { return typed.starts_with(part); });
    const std::string key = keyCalled(typed);
    return isPart || key != typed || typed == "stack" ? key : "";
}

/// Whether a word that follows this one begins what may be typed.
bool isBefore(const std::vector<std::string>& words) {
    return words.empty() || words.back() == "or" || words.back() == "and" ||
           std::string_view(",;:").find(words.back().back()) != std::string_view::npos;
}

}  // namespace

std::string typedHint(const std::string& hint) {
    std::istringstream text(hint);
    std::vector<std::string> words;
    bool isAny = false;
    bool isSetBefore = false;  // the words before are a --set
    for (std::string word; text >> word;) {
        const std::string key = isBefore(words) ? keySaidIn(word) : "";
        if (!key.empty()) {
            if (isSetBefore && words.back() == "and") {
                words.pop_back();
            }
            isAny = true;
            words.emplace_back("--set");
            word = key + word.substr(word.find('='));
        }
        isSetBefore = !key.empty() || (isSetBefore && word == "and");
        words.push_back(std::move(word));
    }
    std::string typed;
    for (const std::string& word : isAny ? words : std::vector{hint}) {
        typed += (typed.empty() ? "" : " ") + word;
    }
    return typed;
}

}  // namespace fabricast
