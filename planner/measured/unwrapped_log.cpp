#include "planner/measured/unwrapped_log.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Past a group in brackets at this place, or a rank's number with its colon; the place itself
/// where there is none.
std::size_t pastLabel(std::string_view line, std::size_t at) {
    const char first = at < line.size() ? line[at] : ' ';
    std::size_t end = std::string_view::npos;
    if (first == '(' || first == '[') {
        end = line.find(first == '(' ? ')' : ']', at);
        end = end == std::string_view::npos ? end : end + 1;
    } else if (first >= '0' && first <= '9') {
        end = line.find_first_not_of("0123456789", at);
        end = end != std::string_view::npos && line[end] == ':' ? end : std::string_view::npos;
    }
    if (end == std::string_view::npos) {
        return at;
    }
    end += end < line.size() && line[end] == ':' ? 1U : 0U;
    return end + (end < line.size() && line[end] == ' ' ? 1U : 0U);
}

/// What a launcher wrote before a line.
std::string_view labelOf(std::string_view line) {
    constexpr std::size_t kMostLabel = 120;
    const std::string_view front = line.substr(0, kMostLabel);
    std::size_t at = 0;
    for (std::size_t next = pastLabel(front, at); next != at; next = pastLabel(front, at)) {
        at = next;
    }
    return front.substr(0, at);
}

/// Hands on what is left of each line, with its number, until that says to stop.
template <typename Take>
void forEachPart(std::string_view text, const Take& take) {
    std::string_view before;
    std::int64_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        const std::string_view label = labelOf(line);
        at = end + 1;
        line.remove_prefix(label == before ? label.size() : 0);
        before = label;
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (!take(line, number)) {
            return;
        }
    }
}

}  // namespace

std::string unwrappedLog(std::string_view text) {
    std::string whole;
    whole.reserve(text.size() + 1);
    forEachPart(text, [&whole](std::string_view line, std::int64_t /*number*/) {
        whole += line;
        whole += ' ';
        return true;
    });
    return whole;
}

std::int64_t lineOfUnwrapped(std::string_view text, std::size_t at) {
    std::size_t size = 0;
    std::int64_t found = 1;
    forEachPart(text, [&](std::string_view line, std::int64_t number) {
        size += line.size() + 1;
        found = number;
        return size <= at;
    });
    return found;
}

}  // namespace fabricast
