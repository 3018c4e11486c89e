#include "planner/launch/shell_commands.h"

#include <algorithm>
#include <charconv>

namespace fabricast {
namespace {

using ArithmeticValue = std::optional<std::int64_t>;

/// Larger ones are no counts of a launch, and the product of two still fits.
constexpr std::int64_t kMostValue = 2'000'000'000;

ArithmeticValue boundedValue(std::int64_t value) {
    return value >= -kMostValue && value <= kMostValue ? ArithmeticValue(value) : std::nullopt;
}

ArithmeticValue typedValue(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    const bool isOctal = text.size() > 1 && text.front() == '0';
    return read.ec == std::errc() && read.ptr == end && !isOctal ? boundedValue(value)
                                                                 : std::nullopt;
}

/// Works out a text from its first letter to its last.
class ArithmeticReader {
public:
    ArithmeticReader(std::string_view text, const ShellVariables& variables)
        : rest_(text), variables_(variables) {}

    ArithmeticValue read() {
        const ArithmeticValue value = sum(0);
        skipBlanks();
        return rest_.empty() ? value : std::nullopt;
    }

private:
    void skipBlanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    }

    bool take(char letter) {
        skipBlanks();
        const bool isNext = rest_.starts_with(letter);
        rest_.remove_prefix(isNext ? 1 : 0);
        return isNext;
    }

    ArithmeticValue sum(int depth) {
        ArithmeticValue value = product(depth);
        while (value) {
            const bool adds = take('+');
            if (!adds && !take('-')) {
                break;
            }
            const ArithmeticValue next = product(depth);
            value = next ? boundedValue(*value + (adds ? *next : -*next)) : std::nullopt;
        }
        return value;
    }

    ArithmeticValue product(int depth) {
        ArithmeticValue value = part(depth);
        while (value) {
            const bool multiplies = take('*');
            const bool divides = !multiplies && take('/');
            if (!multiplies && !divides && !take('%')) {
                break;
            }
            const ArithmeticValue next = part(depth);
            if (!next || (!multiplies && *next == 0)) {
                return std::nullopt;
            }
            value = boundedValue(multiplies ? *value * *next
                                 : divides  ? *value / *next
                                            : *value % *next);
        }
        return value;
    }

    /// A number, a variable with or without "$" and braces, or what stands in brackets.
    ArithmeticValue part(int depth) {
        constexpr int kArithmeticLevels = 32;
        if (depth == kArithmeticLevels) {
            return std::nullopt;
        }
        if (take('(')) {
            const ArithmeticValue inner = sum(depth + 1);
            return take(')') ? inner : std::nullopt;
        }
        const bool isVariable = take('$');
        const bool isBraced = isVariable && take('{');
        std::size_t end = 0;
        while (end < rest_.size() && ShellVariables::isNameLetter(rest_[end])) {
            ++end;
        }
        const std::string name(rest_.substr(0, end));
        rest_.remove_prefix(end);
        if (name.empty() || (isBraced && !take('}'))) {
            return std::nullopt;
        }
        const std::string* const known = variables_.valueOf(name);
        const bool isKnown = known != nullptr && !variables_.isOpen(name);
        return isKnown ? typedValue(*known) : isVariable ? std::nullopt : typedValue(name);
    }

    std::string_view rest_;
    const ShellVariables& variables_;
};

}  // namespace

std::size_t arithmeticLength(std::string_view text) {
    constexpr std::size_t kLongest = 4096;
    if (!text.starts_with("((")) {
        return 0;
    }
    int open = 0;
    for (std::size_t i = 0; i < text.size() && i < kLongest && text[i] != '\n'; ++i) {
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (open == 0) {
            return text[i - 1] == ')' ? i + 1 : 0;
        }
    }
    return 0;
}

std::vector<std::string> namesChangedBy(std::string_view arithmetic) {
    std::vector<std::string> names;
    const bool isChange = arithmetic.find('=') != std::string_view::npos ||
                          arithmetic.find("++") != std::string_view::npos ||
                          arithmetic.find("--") != std::string_view::npos;
    for (std::size_t begin = 0; isChange && begin < arithmetic.size(); ++begin) {
        std::size_t end = begin;
        while (end < arithmetic.size() && ShellVariables::isNameLetter(arithmetic[end])) {
            ++end;
        }
        if (end > begin) {
            names.emplace_back(arithmetic.substr(begin, end - begin));
            begin = end;
        }
    }
    return names;
}

ArithmeticValue valueOfArithmetic(std::string_view arithmetic, const ShellVariables& variables) {
    constexpr std::size_t kBrackets = 2;  // "((" and "))"
    const std::string_view inner =
        arithmetic.substr(kBrackets, arithmetic.size() - kBrackets - kBrackets);
    return ArithmeticReader(inner, variables).read();
}

}  // namespace fabricast
