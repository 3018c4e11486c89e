#include "manual/help_text.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Within a description of _arguments or _describe: no bracket or colon ends it.
std::string described(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        safe += letter == '[' || letter == ']' || letter == ':' || letter == '\\'
                    ? std::string("\\") + letter
                    : std::string(1, letter);
    }
    return safe;
}

std::string functionName(const CommandInfo& command) {
    std::string name = "_" + command.name;
    std::ranges::replace(name, ' ', '_');
    std::ranges::replace(name, '-', '_');
    return name;
}

/// Of what offers the keys of a flag, and their values: "_fabricast_plan_values_layout".
std::string keysFunction(const CommandInfo& command, const FlagInfo& flag) {
    std::string name = functionName(command) + "_values_" +
                       flag.names.back().substr(flag.names.back().find_first_not_of('-'));
    std::ranges::replace(name, '-', '_');
    return name;
}

/// ":NAME:(tp pp)": the value's word, and what zsh offers for it.
std::string valueSpec(const FlagInfo& flag, const CommandInfo& command) {
    std::string spec = ":" + described(flag.value) + ":";
    switch (valueKindOf(flag)) {
        case ValueKind::Words: {
            std::string words;
            for (const std::string& word : flag.words) {
                words += (words.empty() ? "" : " ") + described(word);
            }
            if (isOpen(flag)) {
                return spec + (flag.isList ? " _sequence " : " ") + keysFunction(command, flag);
            }
            return spec + (flag.isList ? " _sequence compadd - " + words : "(" + words + ")");
        }
        case ValueKind::File:
            return spec + "_files";
        case ValueKind::Folder:
            return spec + "_files -/";
        case ValueKind::Other:
            break;
    }
    return spec;
}

/// A line for each name: '*--set[override one key]:PATH=VALUE:'.
std::string flagSpecs(const CommandInfo& command) {
    std::string lines;
    for (const FlagInfo& flag : command.flags) {
        for (const std::string& name : flag.names) {
            const bool isLong = name.starts_with("--");
            const std::string join = !flag.takesValue() ? "" : isLong ? "=" : "+";
            lines += "        " +
                     singleQuoted("*" + name + join + "[" + described(flag.description) + "]" +
                                  (flag.takesValue() ? valueSpec(flag, command) : "")) +
                     " \\\n";
        }
    }
    return lines;
}

/// The functions of flags with keys: they offer values of a key that is typed, else keys.
std::string keysFunctions(const CommandInfo& command) {
    std::string text;
    for (const FlagInfo& flag : command.flags) {
        if (!isOpen(flag)) {
            continue;
        }
        text += keysFunction(command, flag) + "() {\n    local -a words=(";
        for (const std::string& word : flag.words) {
            text += " " + singleQuoted(word);
        }
        text +=
            " )\n    if [[ $PREFIX != *=* ]]; then\n        compadd -S '' \"$@\" - "
            "${words:#*=?*}\n    else\n        ";
        text +=
            hasFileBehind(flag) ? "compset -P '*='; _files" : "compadd \"$@\" - ${(M)words:#*=?*}";
        text += "\n    fi\n}\n";
    }
    return text;
}

/// The function of a command, after those of the commands in it.
std::string functionOf(const CommandInfo& command, const std::string& shared) {
    std::string text;
    for (const CommandInfo& one : command.commands) {
        text += functionOf(one, shared);
    }
    const std::string name = functionName(command);
    text += keysFunctions(command) + name + "() {\n";
    const std::string flags = flagSpecs(command) + (command.isProgram ? "" : shared);
    if (command.commands.empty()) {
        text += "    _arguments -s -S \\\n" + flags;
        text += command.arguments.empty()
                    ? "        ''\n"
                    : "        " +
                          singleQuoted("*" + valueSpec(command.arguments.front(), command)) + "\n";
        return text + "}\n";
    }
    text += "    local -a commands\n    commands=(\n";
    for (const CommandInfo& one : command.commands) {
        text += "        " + singleQuoted(one.lastName() + ":" + described(one.description)) + "\n";
    }
    text +=
        "    )\n    local context state line\n    typeset -A opt_args\n"
        "    _arguments -C -s -S \\\n" +
        flags +
        "        '1:command:->command' '*::argument:->argument'\n"
        "    case $state in\n        command) _describe command commands ;;\n"
        "        argument)\n            case $line[1] in\n";
    for (const CommandInfo& one : command.commands) {
        text += "                " + one.lastName() + ") " + functionName(one) + " ;;\n";
    }
    return text + "            esac ;;\n    esac\n}\n";
}

}  // namespace

std::string zshCompletion(const CommandInfo& program) {
    const std::string name = functionName(program);
    return "#compdef fabricast\n# zsh completion of fabricast: written by `fabricast completion "
           "zsh`.\n" +
           functionOf(program, flagSpecs(program)) + "if [[ $funcstack[1] == " + name +
           " ]]; then\n    " + name + " \"$@\"\nelse\n    compdef " + name + " fabricast\nfi\n";
}

}  // namespace fabricast
