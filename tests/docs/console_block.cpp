#include "tests/docs/console_block.h"

#include <cstddef>
#include <sstream>
#include <utility>

namespace fabricast {

std::string ConsolePage::text() const {
    std::string page = texts.front();
    for (std::size_t index = 0; index < commands.size(); ++index) {
        page += "$ " + commands[index].command + "\n" + commands[index].printed + texts[index + 1];
    }
    return page;
}

ConsolePage readConsolePage(std::string_view page) {
    ConsolePage result;
    std::string text;
    bool inBlock = false;
    bool printing = false;  // the lines now are what the last command prints
    int number = 0;
    std::istringstream lines{std::string(page)};
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const bool fence = line.starts_with("```");
        printing = printing && !fence;
        if (inBlock && line.starts_with("$ ")) {
            result.texts.push_back(std::exchange(text, {}));
            result.commands.push_back({number, line.substr(2), {}});
            printing = true;
        } else {
            (printing ? result.commands.back().printed : text) += line + "\n";
        }
        inBlock = fence ? line == "```console" : inBlock;
    }
    result.texts.push_back(text);
    return result;
}

std::vector<std::string> shellWords(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    bool started = false;
    char quote = 0;
    for (const char letter : command) {
        if (quote != 0 ? letter == quote : letter == '"' || letter == '\'') {
            quote = quote != 0 ? '\0' : letter;
            started = true;
        } else if (letter == ' ' && quote == 0) {
            if (started) {
                words.push_back(std::exchange(word, {}));
            }
            started = false;
        } else {
            word += letter;
            started = true;
        }
    }
    if (started) {
        words.push_back(word);
    }
    return words;
}

}  // namespace fabricast
