#include "planner/launch/shell_expansion.h"

#include "planner/launch/shell_arithmetic.h"

#include <algorithm>

namespace fabricast {
namespace {

/// A variable as it is written: its name, and what stands behind it in the braces.
struct WrittenVariable {
    std::string name;
    std::string rest;
};

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
        const std::size_t close = std::min(script.find('}', end), script.size());
        written.rest = std::string(script.substr(end, close - end));
        end = std::min(close + 1, script.size());
    }
    (void)letters.taken(end);
    return written;
}

/// "${NAME:-usual}" where nothing sets NAME.
std::string usualValue(const WrittenVariable& written) {
    if (!written.rest.starts_with(":-") && !written.rest.starts_with(":=")) {
        return "$" + written.name;
    }
    std::string usual = written.rest.substr(2);
    std::erase(usual, '"');
    std::erase(usual, '\'');
    return usual;
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
        return {.text = "$" + written.name};
    }
    const ShellValue* const known = variables.placedValueOf(written.name);
    return known != nullptr ? ShellExpansion{.text = known->text, .places = known->places}
                            : ShellExpansion{.text = usualValue(written)};
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
