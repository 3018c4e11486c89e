#include "manual/help_text.h"

#include <map>
#include <set>

namespace fabricast {
namespace {

std::string joined(const std::vector<std::string>& words, const char* mark) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : mark) + word;
    }
    return text;
}

/// How bash finds candidates for a value.
std::string candidates(const FlagInfo& flag) {
    switch (valueKindOf(flag)) {
        case ValueKind::Words: {
            const bool isModel = flag.value == "MODEL";  // a folder or a file as well
            return (hasFileBehind(flag) ? "_fabricast_file_of "
                    : flag.isList       ? "_fabricast_list "
                                        : "_fabricast_words ") +
                   singleQuoted(joined(flag.words, " ")) + (isModel ? "; _fabricast_files" : "");
        }
        case ValueKind::File:
            return "_fabricast_files";
        case ValueKind::Folder:
            return "_fabricast_folders";
        case ValueKind::Other:
            break;
    }
    return ":";
}

/// A branch per set of candidates: the commands and flags that have it.
std::string valueBranches(const CommandInfo& program) {
    std::map<std::string, std::vector<std::string>> branches;
    const auto addFlags = [&branches](const std::string& path, const CommandInfo& command) {
        for (const FlagInfo& flag : command.flags) {
            for (const std::string& name : flag.names) {
                if (flag.takesValue()) {
                    branches[candidates(flag)].push_back("\"" + path + ":" + name + "\"");
                }
            }
        }
    };
    for (const auto& [path, command] : commandPaths(program)) {
        addFlags(path, *command);
    }
    std::string text;
    for (const auto& [action, patterns] : branches) {
        text += "        " + joined(patterns, "|") + ") " + action + "; return ;;\n";
    }
    for (const FlagInfo& flag : program.flags) {
        for (const std::string& name : flag.names) {
            text += flag.takesValue()
                        ? "        *:" + name + ") " + candidates(flag) + "; return ;;\n"
                        : "";
        }
    }
    return text;
}

std::string flagNames(const CommandInfo& command) {
    std::string names;
    for (const FlagInfo& flag : command.flags) {
        for (const std::string& name : flag.names) {
            names += " " + name;
        }
    }
    return names;
}

/// What may stand where no flag has begun: commands, words of an argument, or files.
std::string argumentOf(const CommandInfo& command) {
    std::vector<std::string> words;
    for (const CommandInfo& one : command.commands) {
        words.push_back(one.lastName());
    }
    if (!words.empty()) {
        return "_fabricast_words " + singleQuoted(joined(words, " "));
    }
    return command.arguments.empty() ? ":" : candidates(command.arguments.front());
}

std::string valueFlags(const CommandInfo& program) {
    std::set<std::string> names;
    const auto addAll = [&names](const CommandInfo& command) {
        for (const FlagInfo& flag : command.flags) {
            if (flag.takesValue()) {
                names.insert(flag.names.begin(), flag.names.end());
            }
        }
    };
    addAll(program);
    for (const auto& [path, command] : commandPaths(program)) {
        addAll(*command);
    }
    return joined({names.begin(), names.end()}, "|");
}

constexpr const char* kStart =
    R"(# bash completion of fabricast: written by `fabricast completion bash`.
# Offers words for what stands behind $2 in the value. Bash replaces only what follows the last
# of its word breaks, so that what comes before ($taken) is left out.
# Of a key that is typed it offers the values (shard=fsdp), else keys (shard=).
_fabricast_offer() {
    local word part=${value#"$2"}
    while read -r word; do
        if [[ $part == *=* ]]; then [[ $word == *=?* ]]; else [[ $word != *=?* ]]; fi || continue
        word=$head$2$word
        COMPREPLY+=("${word#"$taken"}")
    done < <(compgen -W "$1" -- "$part")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
}
_fabricast_words() { _fabricast_offer "$1" ''; }
# Of a list what is typed already is not offered again, but for the key whose value is being typed.
_fabricast_list() {
    local last=${value##*,} word rest=
    local typed=",${value%"$last"}"
    for word in $1; do
        if [[ $last == *=* ]] || [[ $typed != *,"$word",* && ! ($word == *= && $typed == *,"$word"*) ]]; then
            rest+=" $word"
        fi
    done
    _fabricast_offer "$rest" "${value%"$last"}"
}
_fabricast_files() {
    local found
    mapfile -t found < <(compgen -f -- "$cur")
    COMPREPLY+=("${found[@]}")
    compopt -o filenames 2> /dev/null
}
_fabricast_file_of() {
    if [[ $value == *=* ]]; then _fabricast_files; else _fabricast_words "$1"; fi
}
_fabricast_folders() {
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    compopt -o filenames 2> /dev/null
}
_fabricast() {
    local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD prev head= taken value command= word i ended=
    COMPREPLY=()
    # --flag=value and tp=8,pp=2 arrive as several words.
    while ((at > 1)) && [[ ${COMP_WORDS[at]} == = || ${COMP_WORDS[at - 1]} == = ]]; do
        ((at--))
    done
    value=$(IFS= && printf %s "${COMP_WORDS[*]:at:COMP_CWORD-at+1}")
    [[ $cur == = ]] && cur=
    taken=${value%"$cur"} prev=${COMP_WORDS[at - 1]}
    if [[ $value == --*=* ]]; then
        head=${value%%=*}= prev=${value%%=*} value=${value#*=}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # Behind "--" no word is a flag.
        [[ $word == -- ]] && ended=1 prev=
)";

}  // namespace

std::string bashCompletion(const CommandInfo& program) {
    std::string paths;
    std::string flags;
    std::string arguments;
    for (const auto& [path, command] : commandPaths(program)) {
        paths += (paths.empty() ? "" : "|") + std::string("\"") +
                 (path.find(' ') == std::string::npos ? " " : "") + path + "\"";
        flags += "            \"" + path + "\") flags='" + flagNames(*command) + "' ;;\n";
        arguments += "        \"" + path + "\") " + argumentOf(*command) + " ;;\n";
    }
    std::string text = kStart;
    text += "        case $word in " + valueFlags(program) + ") ((i++)); continue ;; esac\n";
    text += "        case \"$command $word\" in\n            " + paths +
            ") command=\"${command:+$command }$word\" ;;\n        esac\n    done\n";
    text += "    case \"$command:$prev\" in\n" + valueBranches(program) + "    esac\n";
    text +=
        "    if [[ $cur == -* && -z $ended ]]; then\n        local flags=\n        case $command "
        "in\n" +
        flags + "        esac\n        _fabricast_words \"$flags" + flagNames(program) +
        "\"\n        return\n    fi\n";
    text += "    case $command in\n        '') " + argumentOf(program) + " ;;\n" + arguments +
            "    esac\n}\ncomplete -F _fabricast fabricast\n";
    return text;
}

}  // namespace fabricast
