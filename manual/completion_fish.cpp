#include "manual/help_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

/// In single quotes, where fish knows two escapes.
std::string fishQuoted(std::string_view text) {
    std::string quoted = "'";
    for (const char letter : text) {
        quoted +=
            letter == '\'' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
    }
    return quoted + "'";
}

/// " -x -a 'adamw lion'", " -r -F".
std::string valueOptions(const FlagInfo& flag) {
    switch (valueKindOf(flag)) {
        case ValueKind::Words: {
            std::string words;
            for (const std::string& word : flag.words) {
                words += (words.empty() ? "" : " ") + word;
            }
            words = isOpen(flag) ? "(__fabricast_keys " + words + ")" : words;
            const bool isFile = flag.value == "MODEL" || hasFileBehind(flag);
            return (isFile ? " -r -F -a " : " -x -a ") +
                   fishQuoted(flag.isList ? "(__fabricast_list " + words + ")" : words);
        }
        case ValueKind::File:
            return " -r -F";
        case ValueKind::Folder:
            return " -x -a '(__fish_complete_directories)'";
        case ValueKind::Other:
            break;
    }
    return " -x";
}

std::string flagLine(const FlagInfo& flag, const std::string& condition) {
    std::string line = "complete -c fabricast" + condition;
    for (const std::string& name : flag.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    line += flag.takesValue() ? valueOptions(flag) : "";
    return line + " -d " + fishQuoted(flag.description) + "\n";
}

/// " -n '__fish_seen_subcommand_from profiles; and …'".
std::string conditionOf(const std::string& path) {
    std::string condition;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(' ', at), path.size());
        condition += (condition.empty() ? "" : "; and ") +
                     std::string("__fish_seen_subcommand_from ") + path.substr(at, end - at);
        at = end + 1;
    }
    return " -n " + fishQuoted(condition);
}

}  // namespace

std::string fishCompletion(const CommandInfo& program) {
    std::string text =
        "# fish completion of fabricast: written by `fabricast completion fish`.\n"
        "function __fabricast_list -d 'words behind the last comma of what is typed'\n"
        "    set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace "
        "-r "
        "-- '[^,]*$' '')\n"
        "    printf '%s\\n' $typed$argv\n"
        "end\n"
        "function __fabricast_keys -d 'values of a key that is typed, else keys'\n"
        "    if commandline -ct | string replace -r -- '^--[^=]*=' '' | "
        "string match -qr -- '=[^,]*$'\n"
        "        string match -r -- '^.*=.+$' $argv\n"
        "    else\n"
        "        string match -rv -- '=.' $argv\n"
        "    end\n"
        "end\n"
        "complete -c fabricast -f\n";
    for (const CommandInfo& command : program.commands) {
        text += "complete -c fabricast -n __fish_use_subcommand -a " + command.lastName() + " -d " +
                fishQuoted(command.description) + "\n";
    }
    for (const FlagInfo& flag : program.flags) {
        text += flagLine(flag, "");
    }
    for (const auto& [path, command] : commandPaths(program)) {
        const std::string condition = conditionOf(path);
        for (const CommandInfo& inner : command->commands) {
            text += "complete -c fabricast" + condition + " -a " + inner.lastName() + " -d " +
                    fishQuoted(inner.description) + "\n";
        }
        for (const FlagInfo& flag : command->flags) {
            text += flagLine(flag, condition);
        }
        if (!command->arguments.empty()) {
            const FlagInfo& argument = command->arguments.front();
            const bool isFile = valueKindOf(argument) == ValueKind::File;
            text += isFile ? "complete -c fabricast" + condition + " -F\n"
                    : argument.words.empty()
                        ? ""
                        : "complete -c fabricast" + condition + valueOptions(argument) + "\n";
        }
    }
    return text;
}

}  // namespace fabricast
