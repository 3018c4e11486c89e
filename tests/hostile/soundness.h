#pragma once
#include "cli/run_program.h"
#include "tests/hostile/disturbed_run.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <string>
#include <string_view>

namespace fabricast {

// What holds of every answer, whatever was asked and whatever happened meanwhile.

/// Whether a word stands alone in a text: "inf" in "+inf" but not in "infiniband".
inline bool hasWord(std::string_view text, std::string_view word) {
    const auto isLetter = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    };
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end]))) {
            return true;
        }
    }
    return false;
}

inline bool hasControls(std::string_view text) {
    return std::ranges::any_of(text, [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return (byte < 0x20 && letter != '\n' && letter != '\t') || byte == 0x7f;
    });
}

/// What is wrong with an answer; empty: nothing. `name` begins the program's own errors.
inline std::string troubleOf(int code,
                             std::string_view out,
                             std::string_view err,
                             std::string_view name = "error: ") {
    constexpr std::array kAccepted = {0, 1, 2, 4, 128 + SIGINT, 128 + SIGTERM};
    if (code == -1) {
        return "it hangs";
    }
    if (std::ranges::find(kAccepted, code) == kAccepted.end()) {
        return "it ends with " + std::to_string(code);
    }
    if ((code == 2 || code == 4) && err.find(name) == err.npos) {
        return "it ends with " + std::to_string(code) + " and does not say why";
    }
    if (hasControls(out) || hasControls(err)) {
        return "it prints control characters";
    }
    for (const std::string_view word : {"nan", "inf", "NaN", "Infinity"}) {
        if (hasWord(out, word)) {
            return "it prints " + std::string(word);
        }
    }
    return {};
}

inline std::string troubleOf(const Disturbed& run) {
    return troubleOf(run.code, run.out, run.err);
}

inline std::string troubleOf(const ProgramOutput& answer) {
    return troubleOf(static_cast<int>(answer.code), answer.out, answer.err);
}

}  // namespace fabricast
