#include "planner/lint/unknown_key.h"

#include "planner/base/nearest_name.h"

#include <algorithm>
#include <set>

namespace fabricast {

std::optional<UnknownKey> unknownIn(const std::string& path,
                                    const std::vector<std::string>& known) {
    std::string section;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t dot = std::min(path.find('.', begin), path.size());
        const std::string upTo = path.substr(0, dot);
        const bool isKey = std::ranges::find(known, upTo) != known.end();
        const bool isSection = std::ranges::any_of(
            known, [&](const std::string& one) { return one.starts_with(upTo + "."); });
        if (!isKey && !isSection) {
            return UnknownKey{section, path.substr(begin, dot - begin)};
        }
        if (isKey && !isSection) {
            return std::nullopt;  // whatever is in it is its own
        }
        section = upTo;
        begin = dot + 1;
    }
    return std::nullopt;
}

std::vector<std::string> keysIn(const std::string& section, const std::vector<std::string>& known) {
    std::set<std::string> names;
    const std::string before = section.empty() ? "" : section + ".";
    for (const std::string& one : known) {
        if (one.starts_with(before)) {
            const std::string rest = one.substr(before.size());
            names.insert(rest.substr(0, rest.find('.')));
        }
    }
    return {names.begin(), names.end()};
}

std::string suggestedKey(const std::string& typed, const std::vector<std::string>& known) {
    constexpr std::size_t kMostMeant = 3;
    std::string meant;
    std::size_t count = 0;
    for (const std::string& one : known) {
        const bool isLonger = one.ends_with("_" + typed) || one.starts_with(typed + "_");
        if (isLonger && ++count <= kMostMeant) {
            meant += std::string(meant.empty() ? "did you mean \"" : " or \"").append(one) + "\"";
        }
    }
    if (!nearestName(typed, known).empty()) {
        return suggestName(typed, known);
    }
    return count == 0 || count > kMostMeant ? "leave it out; " + suggestName(typed, known)
                                            : meant + "?";
}

}  // namespace fabricast
