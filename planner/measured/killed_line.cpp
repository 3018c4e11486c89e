#include "planner/measured/memory_forms.h"

#include <algorithm>
#include <string_view>

namespace fabricast {
namespace {

/// Whether the word stands alone, behind a number or behind a colon.
bool saysKilled(std::string_view line) {
    constexpr std::string_view kWord = "Killed";
    const std::size_t at = line.find(kWord);
    if (at == std::string_view::npos) {
        return false;
    }
    const std::string_view after = line.substr(at + kWord.size());
    const std::size_t last = line.substr(0, at).find_last_not_of(" \t");
    const char before = last == std::string_view::npos ? ' ' : line[last];
    const bool isAlone = after.find_first_not_of(" \t\r") == std::string_view::npos;
    const bool isOfProcess = before >= '0' && before <= '9' && after.starts_with(' ');
    return isOfProcess || (isAlone && (before == ' ' || before == ':'));
}

}  // namespace

std::optional<std::int64_t> killedLine(std::string_view text) {
    std::int64_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (saysKilled(text.substr(at, end - at))) {
            return number;
        }
        at = end + 1;
    }
    return std::nullopt;
}

}  // namespace fabricast
