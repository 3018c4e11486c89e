#include "planner/measured/memory_forms.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Past a group in brackets at this place, or a rank's number with its colon; the place itself
/// where there is none.
std::size_t pastLabel(std::string_view line, std::size_t at) {
    const char first = at < line.size() ? line[at] : ' ';
    std::size_t end = std::string_view::npos;
    if (first == '>') {
        end = at + 1;
    } else if (first == '(' || first == '[') {
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
        before = label.empty() ? before : label;
        if (!take(line, number)) {
            return;
        }
    }
}

bool isBlank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r';
}

bool isOfNumber(char letter) {
    return (letter >= '0' && letter <= '9') || letter == '.';
}

/// Puts lines together, without what is blank.
class Unwrapping {
public:
    void add(std::string_view line) {
        for (const char letter : line) {
            if (isBlank(letter)) {
                between_ = between_ == '\n' ? '\n' : ' ';
                continue;
            }
            const bool isBetween =
                between_ != 0 && !whole_.empty() && isOfNumber(whole_.back()) && isOfNumber(letter);
            if (isBetween) {
                whole_ += between_;
            }
            whole_ += letter;
            between_ = 0;
        }
        between_ = '\n';
    }
    [[nodiscard]] const std::string& whole() const { return whole_; }
    std::string take() && { return std::move(whole_); }

private:
    std::string whole_;
    char between_ = 0;  ///< what stands before the next letter, where that matters
};

}  // namespace

std::string unwrappedLog(std::string_view text) {
    Unwrapping unwrapping;
    forEachPart(text, [&unwrapping](std::string_view line, std::int64_t /*number*/) {
        unwrapping.add(line);
        return true;
    });
    return std::move(unwrapping).take();
}

std::int64_t lineOfUnwrapped(std::string_view text, std::size_t at) {
    Unwrapping unwrapping;
    std::int64_t found = 1;
    forEachPart(text, [&](std::string_view line, std::int64_t number) {
        unwrapping.add(line);
        found = number;
        return unwrapping.whole().size() <= at;
    });
    return found;
}

}  // namespace fabricast
