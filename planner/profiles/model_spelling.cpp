#include "planner/profiles/model_spelling.h"

#include "planner/base/letters.h"
#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace fabricast {
namespace {

/// They say what a checkpoint was trained for, not how it is built.
constexpr std::array<std::string_view, 11> kTrainings = {
    "base", "chat", "dpo", "hf", "instruct", "it", "meta", "pt", "sft", "text", "thinking"};

/// They say how a checkpoint is stored, which --tuning decides here.
constexpr std::array<std::string_view, 8> kStorages = {
    "4bit", "8bit", "awq", "bf16", "bnb", "dynamic", "gptq", "unsloth"};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isWordLetter(char c) {
    return isLetter(c) || isDigit(c);
}

/// "Llama3.1:8B" is llama, 3, 1, 8b: a letter before a digit begins a word.
std::vector<std::string> wordsOf(std::string_view name) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool joins = isWordLetter(c);
        const bool begins = i > 0 && isDigit(c) && isLetter(name[i - 1]);
        if (!joins || begins) {
            words.emplace_back();
        }
        if (joins) {
            words.back() += lower(c);
        }
    }
    std::erase(words, "");
    return words;
}

/// Of checkpoints of language models: 2018 to 2039, as two digits.
bool isYear(std::string_view year) {
    return year >= "18" && year <= "39";
}
bool isMonth(std::string_view month) {
    return month >= "01" && month <= "12";
}
/// A month and a day, in a leap year where no other is said.
bool isDayOf(std::string_view monthAndDay, std::string_view year = "24") {
    const std::string month(monthAndDay.substr(0, 2));
    return isDay("20" + std::string(year) + "-" + month + "-" + std::string(monthAndDay.substr(2)));
}

/// 2507, 0324, 250115, 20240806: a year and a month, a month and a day, or all of them, of the
/// calendar. Shapes have a letter ("8b") or fewer digits.
bool isReleaseDate(std::string_view word) {
    if (!std::ranges::all_of(word, &isDigit)) {
        return false;
    }
    switch (word.size()) {
        case 4:
            return (isYear(word.substr(0, 2)) && isMonth(word.substr(2))) || isDayOf(word);
        case 6:
            return isYear(word.substr(0, 2)) && isDayOf(word.substr(2), word.substr(0, 2));
        case 8:
            return word.starts_with("20") && isReleaseDate(word.substr(2));
        default:
            return false;
    }
}

bool isNumberOf(const std::string& word, std::size_t digits) {
    return word.size() == digits && std::ranges::all_of(word, &isDigit);
}

/// How many words from the first on are a date: one, or those of 2025-01-31 or 2025-01.
std::size_t dateWords(std::span<const std::string> words) {
    const bool hasYear = isNumberOf(words[0], 4) && words[0].starts_with("20");
    if (!hasYear || words.size() < 2 || !isNumberOf(words[1], 2)) {
        return isReleaseDate(words[0]) ? 1 : 0;
    }
    if (words.size() > 2 && isNumberOf(words[2], 2)) {
        return isReleaseDate(words[0] + words[1] + words[2]) ? 3 : 0;
    }
    return isReleaseDate(words[0].substr(2) + words[1]) ? 2 : 0;
}

bool isCheckpointOnly(const std::string& word) {
    return std::ranges::find(kTrainings, word) != kTrainings.end() ||
           std::ranges::find(kStorages, word) != kStorages.end();
}

}  // namespace

std::string modelStem(std::string_view name) {
    std::string_view own = name.substr(name.find_last_of('/') + 1);
    while (own.ends_with(' ')) {
        own.remove_suffix(1);
    }
    while (own.starts_with(' ')) {
        own.remove_prefix(1);
    }
    if (own.empty() || !isWordLetter(own.front()) || !isWordLetter(own.back())) {
        return {};  // a part is missing
    }
    const std::vector<std::string> words = wordsOf(own);
    std::string stem;
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (const std::size_t date = dateWords(std::span(words).subspan(at)); date > 0) {
            at += date - 1;
        } else if (!isCheckpointOnly(words[at])) {
            stem += (stem.empty() ? "" : "-") + words[at];
        }
    }
    return stem;
}

bool hasWordsOf(std::string_view name, std::string_view typed) {
    const std::vector<std::string> known = wordsOf(name);
    const std::vector<std::string> wanted = wordsOf(typed);
    return !wanted.empty() && std::ranges::all_of(wanted, [&known](const std::string& word) {
        return std::ranges::find(known, word) != known.end();
    });
}

}  // namespace fabricast
