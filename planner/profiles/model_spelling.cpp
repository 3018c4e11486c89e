#include "planner/profiles/model_spelling.h"

#include "planner/base/letters.h"

#include <algorithm>
#include <array>
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

/// "Llama3.1:8B" is llama, 3, 1, 8b: a letter before a digit begins a word.
std::vector<std::string> wordsOf(std::string_view name) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool joins = isLetter(c) || isDigit(c);
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

/// Whether two digits of the word are a number from `least` to `most`.
bool isNumberFrom(const std::string& word, std::size_t at, int least, int most) {
    const int number = (word[at] - '0') * 10 + (word[at + 1] - '0');
    return number >= least && number <= most;
}
/// Of checkpoints of language models: 2018 to 2039.
bool hasYear(const std::string& word, std::size_t at) {
    return isNumberFrom(word, at, 18, 39);
}
bool hasMonth(const std::string& word, std::size_t at) {
    return isNumberFrom(word, at, 1, 12);
}
bool hasDay(const std::string& word, std::size_t at) {
    return isNumberFrom(word, at, 1, 31);
}

/// 2507, 0324, 250115, 20240806: a year and a month, a month and a day, or all of them. Shapes have
/// a letter ("8b") or fewer digits.
bool isReleaseDate(const std::string& word) {
    if (!std::ranges::all_of(word, &isDigit)) {
        return false;
    }
    switch (word.size()) {
        case 4:
            return (hasYear(word, 0) && hasMonth(word, 2)) ||
                   (hasMonth(word, 0) && hasDay(word, 2));
        case 6:
            return hasYear(word, 0) && hasMonth(word, 2) && hasDay(word, 4);
        case 8:
            return word.starts_with("20") && hasYear(word, 2) && hasMonth(word, 4) &&
                   hasDay(word, 6);
        default:
            return false;
    }
}

bool isCheckpointOnly(const std::string& word) {
    return std::ranges::find(kTrainings, word) != kTrainings.end() ||
           std::ranges::find(kStorages, word) != kStorages.end();
}

}  // namespace

std::string modelStem(std::string_view name) {
    const std::size_t slash = name.find_last_of('/');
    std::string stem;
    for (const std::string& word :
         wordsOf(slash == std::string_view::npos ? name : name.substr(slash + 1))) {
        if (!isReleaseDate(word) && !isCheckpointOnly(word)) {
            stem += (stem.empty() ? "" : "-") + word;
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
