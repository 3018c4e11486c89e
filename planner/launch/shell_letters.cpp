#include "planner/launch/shell_letters.h"

#include <algorithm>

namespace fabricast {

void ShellLetters::moveTo(std::size_t letter) {
    if (letter < places_.size()) {
        place_ = places_[letter];
    }
}

char ShellLetters::take() {
    const char letter = script_[at_++];
    ++place_.column;
    if (letter == '\n') {
        ++place_.line;
        place_.column = 1;
    }
    moveTo(at_);
    return letter;
}

std::string ShellLetters::taken(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
        text += take();
    }
    return text;
}

bool endsShellWord(char letter) {
    return std::string_view(" \t\r\n;|&()<>").find(letter) != std::string_view::npos;
}

ShellCommand takeBatchWords(ShellLetters& letters) {
    const bool begins = letters.place().column == 1;
    ShellCommand words;
    while (!letters.isEnd() && letters.next() != '\n') {
        const char next = letters.next();
        const bool blank = next == ' ' || next == '\t' || next == '\r';
        if (!blank && (words.empty() || letters.last() == ' ' || letters.last() == '\t')) {
            words.push_back(
                {.text = {}, .line = letters.place().line, .column = letters.place().column});
        }
        const char letter = letters.take();
        if (!blank) {
            words.back().text += letter;
        }
    }
    const bool isBatch = begins && !words.empty() && words.front().text == "#SBATCH";
    return isBatch ? ShellCommand(words.begin() + 1, words.end()) : ShellCommand();
}

std::string takeRedirection(ShellLetters& letters) {
    const char letter = letters.take();
    const bool isText = letter == '<' && letters.rest().starts_with("<<");  // <<< "text"
    const bool here = letter == '<' && letters.next() == '<' && !isText;
    while (!letters.isEnd() &&
           std::string_view("<>&-| \t").find(letters.next()) != std::string_view::npos) {
        letters.take();
    }
    std::string target;
    while (!letters.isEnd() && !endsShellWord(letters.next())) {
        target += letters.take();
    }
    std::erase(target, '\'');
    std::erase(target, '"');
    return here ? target : "";
}

void skipHeredoc(ShellLetters& letters, const std::string& end) {
    std::string line;
    while (!letters.isEnd()) {
        const char letter = letters.take();
        if (letter != '\n') {
            line += letter == '\t' && line.empty() ? "" : std::string(1, letter);
        } else if (std::exchange(line, "") == end) {
            return;
        }
    }
}

}  // namespace fabricast
