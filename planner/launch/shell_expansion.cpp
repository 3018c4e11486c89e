#include "planner/launch/shell_commands.h"

#include <algorithm>

namespace fabricast {
namespace {

/// A variable as it is written: its name, and what stands behind it in the braces.
struct WrittenVariable {
    std::string name;
    std::string rest;
};

/// As what is cut out of a value.
constexpr std::string_view kNotWorkedOut = "#";

/// More than a script that people read has within each other.
constexpr int kMostBraces = 8;

/// Where the braces that are open at `begin` are closed again, and how many are open at once.
struct ClosedBraces {
    std::size_t close;
    int most = 1;
};
ClosedBraces closedBraces(std::string_view script, std::size_t begin) {
    ClosedBraces braces{.close = begin};
    for (int open = 1; braces.close < script.size(); ++braces.close) {
        const char letter = script[braces.close];
        open += letter == '{' ? 1 : letter == '}' ? -1 : 0;
        braces.most = std::max(braces.most, open);
        if (open == 0) {
            break;
        }
    }
    return braces;
}

WrittenVariable takeWritten(ShellLetters& letters) {
    const std::string_view script = letters.rest();
    const bool braced = letters.next() == '{';
    std::size_t end = braced ? 1 : 0;
    const std::size_t begin = end;
    while (end < script.size() && ShellVariables::isNameLetter(script[end])) {
        ++end;
    }
    WrittenVariable written{std::string(script.substr(begin, end - begin)), ""};
    if (written.name.empty()) {
        return written;
    }
    if (braced) {
        const ClosedBraces braces = closedBraces(script, end);
        written.rest = braces.most > kMostBraces
                           ? std::string(kNotWorkedOut)
                           : std::string(script.substr(end, braces.close - end));
        end = std::min(braces.close + 1, script.size());
    }
    (void)letters.taken(end);
    return written;
}

/// The word of "${NAME:-word}" or its like, with the variables in it, and without its quotes.
std::string wordIn(const std::string& rest, std::size_t begin, const ShellVariables& variables) {
    ShellLetters letters(std::string_view(rest).substr(begin));
    std::string word;
    while (!letters.isEnd()) {
        const char letter = letters.take();
        if (letter == '$') {
            word += takeVariable(letters, variables).text;
        } else if (letter != '"' && letter != '\'') {
            word += letter;
        }
    }
    return word;
}

/// What "${NAME…}" stands for. What is cut out of a value or replaced in it is worked out when the
/// script runs: it has none, as a variable that nothing sets has none.
ShellExpansion expanded(const WrittenVariable& written,
                        const ShellValue* known,
                        const ShellVariables& variables) {
    const std::string& rest = written.rest;
    const bool isColon = rest.starts_with(":");
    const char how = rest.size() > (isColon ? 1 : 0) ? rest[isColon ? 1 : 0] : '\0';
    const std::size_t word = isColon ? 2 : 1;
    const bool isSaid = known != nullptr && (!isColon || !known->text.empty());
    const ShellExpansion unknown{.text = "$" + written.name};
    const bool isUsual = known == nullptr && (how == '-' || how == '=');
    if (isUsual && variables.isSourced()) {
        return unknown;
    }
    if (rest.empty()) {
        return known == nullptr ? unknown
                                : ShellExpansion{.text = known->text, .places = known->places};
    }
    switch (how) {
        case '-':
        case '=':
            return isSaid ? ShellExpansion{.text = known->text, .places = known->places}
                          : ShellExpansion{.text = wordIn(rest, word, variables)};
        case '?':
            return isSaid ? ShellExpansion{.text = known->text, .places = known->places} : unknown;
        case '+':
            return isSaid             ? ShellExpansion{.text = wordIn(rest, word, variables)}
                   : known == nullptr ? unknown
                                      : ShellExpansion{};
        default:
            return unknown;
    }
}

}  // namespace

ShellExpansion takeVariable(ShellLetters& letters, const ShellVariables& variables) {
    if (const std::size_t length = arithmeticLength(letters.rest()); length > 0) {
        std::string typed = letters.taken(length);
        if (const auto value = valueOfArithmetic(typed, variables)) {
            return {.text = std::to_string(*value)};
        }
        std::erase(typed, ' ');  // it is worked out when the script runs, and is one word till then
        return {.text = "$" + typed};
    }
    const WrittenVariable written = takeWritten(letters);
    if (written.name.empty()) {
        return {.text = "$"};
    }
    const bool isOpen = variables.isOpen(written.name);
    if (written.rest == "[@]" || written.rest == "[*]") {
        const std::vector<ShellWord>* const list = variables.listOf(written.name);
        return list == nullptr || isOpen ? ShellExpansion{.text = "$" + written.name + "[@]"}
                                         : ShellExpansion{.list = *list};
    }
    if (isOpen) {
        return {.text = "$" + written.name, .mayBe = variables.openValues(written.name)};
    }
    return expanded(written, variables.placedValueOf(written.name), variables);
}

void splitValue(const ShellWord& value, std::vector<ShellWord>& words) {
    ShellWord word{.text = {}, .line = value.line, .column = value.column};
    for (const char letter : value.text + " ") {
        if (letter != ' ' && letter != '\t' && letter != '\n') {
            word.text += letter;
        } else if (!word.text.empty()) {
            words.push_back(word);
            word.text.clear();
        }
    }
}

}  // namespace fabricast
