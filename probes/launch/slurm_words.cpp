#include "probes/launch/launchers.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fabricast::probe {

namespace {

/// As many nodes as any cluster has; a longer list is no list.
constexpr int kMostNodes = 1 << 20;

std::optional<int> countOf(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value > 0 && value <= kMostNodes ? std::optional(value) : std::nullopt;
}

}  // namespace

Answer<std::string> firstHost(std::string_view nodeList) {
    const Trouble trouble{"'" + std::string(nodeList) +
                          "' is no list of nodes, such as node[01-04,7]"};
    std::string host;
    for (std::size_t at = 0; at < nodeList.size() && nodeList[at] != ',';) {
        if (nodeList[at] != '[') {
            host += nodeList[at++];
            continue;
        }
        // Of "[01-04,7]" the first: digits up to '-', ',' or ']'.
        const std::size_t closing = nodeList.find(']', at);
        const std::size_t end = nodeList.find_first_of("-,]", at);
        if (closing == std::string_view::npos || end == at + 1) {
            return trouble;
        }
        host += nodeList.substr(at + 1, end - at - 1);
        at = closing + 1;
    }
    if (host.empty() || host.find_first_of("] \t\n") != std::string::npos) {
        return trouble;
    }
    return host;
}

Answer<std::vector<int>> tasksPerNode(std::string_view text) {
    const Trouble trouble{"'" + std::string(text) + "' says no tasks per node, such as 8(x3),4"};
    std::vector<int> tasks;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string_view part = text.substr(at, end - at);
        const std::size_t open = part.find("(x");
        const bool repeated = open != std::string_view::npos;
        const std::optional<int> each = countOf(part.substr(0, open));
        const std::optional<int> times =
            !repeated            ? std::optional(1)
            : part.back() == ')' ? countOf(part.substr(open + 2, part.size() - open - 3))
                                 : std::nullopt;
        if (!each || !times || tasks.size() + static_cast<std::size_t>(*times) > kMostNodes) {
            return trouble;
        }
        tasks.insert(tasks.end(), static_cast<std::size_t>(*times), *each);
        at = end + 1;
    }
    return tasks;
}

}  // namespace fabricast::probe
