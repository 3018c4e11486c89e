#include "planner/lint/taken_values.h"

#include "planner/base/nearest_name.h"
#include "planner/base/small_letters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 4> kKindsOfValue = {"whole", "number", "switch", "figure"};

bool isKind(const std::string& takes) {
    return std::ranges::find(kKindsOfValue, takes) != kKindsOfValue.end();
}

bool isFile(ValueLoader loader) {
    return loader != ValueLoader::Words && loader != ValueLoader::Switches;
}

bool isDigit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// As Python's int() takes it: "4096", "-1", "4_096".
bool isWholeWord(std::string_view word) {
    word.remove_prefix(!word.empty() && (word.front() == '-' || word.front() == '+') ? 1 : 0);
    for (std::size_t at = 0; at < word.size(); ++at) {
        const bool joins =
            word[at] == '_' && at > 0 && at + 1 < word.size() && isDigit(word[at - 1]);
        if (!isDigit(word[at]) && !joins) {
            return false;
        }
    }
    return !word.empty() && isDigit(word.back());
}

/// As Python's float() takes it: "1e-4", "inf", "1_000.5".
std::optional<double> asNumber(std::string_view word) {
    std::string digits(word);
    std::erase(digits, '_');
    std::string_view text = digits;
    const bool hasPlus = text.starts_with('+') && !text.starts_with("+-");
    text.remove_prefix(hasPlus ? 1 : 0);
    double value = 0.0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber =
        trouble != std::errc::invalid_argument && end == text.data() + text.size();
    return isNumber ? std::optional(value) : std::nullopt;
}

/// To YAML 1.1 a number has a point, and a sign in its exponent. Whole numbers have more forms.
bool isNumberOfYaml(std::string_view word) {
    const std::size_t exponent = word.find_first_of("eE");
    const bool hasSign =
        exponent == std::string_view::npos ||
        (exponent + 1 < word.size() && (word[exponent + 1] == '-' || word[exponent + 1] == '+'));
    return hasSign && word.substr(0, exponent).find('.') != std::string_view::npos &&
           asNumber(word);
}

bool isWholeOfYaml(std::string_view word) {
    constexpr std::size_t kBase = 16;
    word.remove_prefix(word.starts_with("0x") ? 2 : word.size());
    return !word.empty() && word.size() <= kBase && std::ranges::all_of(word, [](char letter) {
        return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
    });
}

/// What a file's own syntax makes a number of, whatever is asked for.
bool isWrittenAsNumber(std::string_view value, bool isQuoted, ValueLoader loader) {
    if (isQuoted || !isFile(loader)) {
        return false;
    }
    return loader != ValueLoader::Yaml ? asNumber(value).has_value()
                                       : isWholeWord(value) || isNumberOfYaml(value);
}

bool isTruth(std::string_view value, bool isQuoted, ValueLoader loader) {
    constexpr std::array<std::string_view, 10> kWords = {
        "true", "false", "yes", "no", "1", "0", "t", "f", "y", "n"};
    const std::string small = inSmallLetters(value);
    const bool isWord = std::ranges::find(kWords, small) != kWords.end();
    const bool isOnOff = isFile(loader) && (small == "on" || small == "off");
    const std::optional<double> number = asNumber(value);
    const bool isOneOrZero =
        isWrittenAsNumber(value, isQuoted, loader) && number && (*number == 0.0 || *number == 1.0);
    return isWord || isOnOff || isOneOrZero;
}

/// true of JSON and YAML counts as 1 to pydantic.
bool isBare(std::string_view value, bool isQuoted, ValueLoader loader) {
    const std::string small = inSmallLetters(value);
    return !isQuoted && isFile(loader) && (small == "true" || small == "false");
}

bool fits(const std::string& kind, std::string_view value, bool isQuoted, ValueLoader loader) {
    const std::optional<double> number = asNumber(value);
    if (isQuoted && loader == ValueLoader::Toml && isKind(kind)) {
        return false;
    }
    if (kind == "switch") {  // "--no-x" is read as "no"
        return loader == ValueLoader::Switches ? value == "no" : isTruth(value, isQuoted, loader);
    }
    if (kind == "figure") {
        return isWrittenAsNumber(value, isQuoted, loader);
    }
    if (kind == "whole") {
        const bool isWhole = number && std::floor(*number) == *number;
        return isWholeWord(value) || isBare(value, isQuoted, loader) ||
               (isWhole && isWrittenAsNumber(value, isQuoted, loader)) ||
               (loader == ValueLoader::Yaml && !isQuoted && isWholeOfYaml(value));
    }
    if (kind == "number") {
        return number.has_value() || isBare(value, isQuoted, loader);
    }
    // A word of a command line is compared as it is; readers of files turn some to one case.
    return isFile(loader) ? inSmallLetters(kind) == inSmallLetters(value) : kind == value;
}

std::string described(const std::string& kind, ValueLoader loader) {
    return kind == "whole"    ? "a whole number"
           : kind == "number" ? "a number"
           : kind == "figure" ? "a number without quotes"
           : kind != "switch" ? "\"" + kind + "\""
           : loader == ValueLoader::Switches
               ? "no value: the name alone, or with no- before its last word"
               : "true or false";
}

}  // namespace

std::string whyNotTaken(std::span<const std::string> takes,
                        std::string_view value,
                        bool isQuoted,
                        ValueLoader loader) {
    const std::size_t first = value.find_first_not_of(' ');
    const std::size_t last = value.find_last_not_of(' ');
    const std::string_view word =
        first == std::string_view::npos ? "" : value.substr(first, last - first + 1);
    const bool isTaken = takes.empty() || std::ranges::any_of(takes, [&](const std::string& kind) {
                             return fits(kind, word, isQuoted, loader);
                         });
    if (isTaken) {
        return "";
    }
    std::string why;
    for (const std::string& kind : takes) {
        const bool isLast = &kind == &takes.back();
        why += (why.empty() ? "" : isLast ? " or " : ", ") + described(kind, loader);
    }
    return why;
}

bool takesNoWords(std::span<const std::string> takes) {
    return std::ranges::all_of(takes, isKind);
}

std::string nearestTaken(std::span<const std::string> takes, std::string_view value) {
    std::vector<std::string> words;
    std::ranges::remove_copy_if(takes, std::back_inserter(words), isKind);
    return words.empty() ? "" : nearestName(inSmallLetters(value), words);
}

}  // namespace fabricast
