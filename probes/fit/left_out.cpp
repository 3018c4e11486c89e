#include "probes/fit/left_out.h"

#include <algorithm>
#include <cstddef>

namespace fabricast {
namespace {

/// Lines of one kind and reason, in the order in which they were first met.
struct Group {
    std::string kind;
    std::string why;
    std::string first;
    std::size_t count = 0;
};

}  // namespace

std::string leftOutText(const std::vector<std::string>& lines) {
    std::vector<Group> groups;
    for (const std::string& line : lines) {
        const std::size_t colon = std::min(line.find(": "), line.size());
        const std::string kind = line.substr(0, std::min(line.find(' '), colon));
        const std::string why = line.substr(colon);
        const auto same = std::ranges::find_if(
            groups, [&](const Group& group) { return group.kind == kind && group.why == why; });
        if (same == groups.end()) {
            groups.push_back({kind, why, line, 1});
        } else {
            ++same->count;
        }
    }
    constexpr std::size_t kMost = 20;
    std::string text;
    for (std::size_t at = 0; at < std::min(groups.size(), kMost); ++at) {
        const Group& group = groups[at];
        text += "  left out: " +
                (group.count == 1
                     ? group.first
                     : std::to_string(group.count) + " points of " + group.kind + group.why) +
                "\n";
    }
    if (groups.size() > kMost) {
        text += "  left out for " + std::to_string(groups.size() - kMost) + " more reasons\n";
    }
    return text;
}

}  // namespace fabricast
