#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// This breaks a text as people and disks do: bytes lost, doubled or flipped, words swapped, and
/// numbers and values replaced by the ones programs trip over. The same seed, the same text.
///     TextMutator mutator(7);
///     const std::string broken = mutator.mutated(text);
class TextMutator {
public:
    explicit TextMutator(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
    bool oneIn(std::size_t many) { return below(many) == 0; }
    template <class T>
    const T& oneOf(std::span<const T> values) {
        return values[below(values.size())];
    }

    /// One to six changes.
    std::string mutated(std::string text) {
        const std::size_t changes = 1 + below(6);
        for (std::size_t change = 0; change < changes; ++change) {
            text = changedOnce(std::move(text));
        }
        return text;
    }

private:
    static constexpr std::array<std::string_view, 34> kTroublesome = {"0",
                                                                      "-1",
                                                                      "1",
                                                                      "2",
                                                                      "3",
                                                                      "7",
                                                                      "8",
                                                                      "1.5",
                                                                      "-0.0",
                                                                      "1e308",
                                                                      "1e-308",
                                                                      "1e999",
                                                                      "9223372036854775807",
                                                                      "-9223372036854775808",
                                                                      "18446744073709551616",
                                                                      "2147483648",
                                                                      "4294967296",
                                                                      "1048576",
                                                                      "16777216",
                                                                      "null",
                                                                      "true",
                                                                      "false",
                                                                      "\"\"",
                                                                      "\"0\"",
                                                                      "[]",
                                                                      "{}",
                                                                      "[[]]",
                                                                      "\"\\u0000\"",
                                                                      "\"nan\"",
                                                                      "NaN",
                                                                      "Infinity",
                                                                      "\"4M tokens\"",
                                                                      "\"80 GB\"",
                                                                      "\"\\ud800\""};

    std::string changedOnce(std::string text) {
        if (text.empty()) {
            return std::string(1, static_cast<char>(below(256)));
        }
        const std::size_t at = below(text.size());
        switch (below(9)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                return text;
            case 1:
                return text.erase(at, 1 + below(16));
            case 2:
                return text.insert(at, text.substr(below(text.size()), 1 + below(40)));
            case 3:
                return text.substr(0, at);
            case 4:
                return swappedWords(std::move(text));
            default:
                return replacedValue(std::move(text));
        }
    }

    /// Begin and end of a word or number at or after a random place.
    std::pair<std::size_t, std::size_t> someWord(const std::string& text) {
        constexpr std::string_view kLetters =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
        const std::size_t begin =
            std::min(text.find_first_of(kLetters, below(text.size())), text.size());
        const std::size_t end = std::min(text.find_first_not_of(kLetters, begin), text.size());
        return {begin, end};
    }

    std::string swappedWords(std::string text) {
        const auto [begin, end] = someWord(text);
        const auto [otherBegin, otherEnd] = someWord(text);
        const std::string other = text.substr(otherBegin, otherEnd - otherBegin);
        return text.replace(begin, end - begin, other);
    }

    /// The text between a colon and the next comma or bracket.
    std::string replacedValue(std::string text) {
        const std::size_t colon = text.find(':', below(text.size()));
        if (colon == std::string::npos) {
            return text;
        }
        const std::size_t end = std::min(text.find_first_of(",}]\n", colon), text.size());
        return text.replace(
            colon + 1, end - colon - 1, oneOf(std::span<const std::string_view>(kTroublesome)));
    }

    std::mt19937_64 random_;
};

}  // namespace fabricast
