#pragma once
#include "planner/result/lint_report.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

/// What a finding's fix makes of the text that it was found in: as a person would type it.
///     appliedFix("--bf16 --fp16", …, "--bf16")
namespace fabricast::applied_fix {

/// The keys of a fix, without its reasons and its other ways.
inline std::string keysOfFix(const std::string& fix) {
    std::size_t end = fix.size();
    for (const char* const more : {" (",
                                   "; ",
                                   ", or ",
                                   ", where ",
                                   ", with ",
                                   ", for ",
                                   ", which ",
                                   ", before ",
                                   " makes it "}) {
        end = std::min(end, fix.find(more));
    }
    return fix.substr(0, end);
}

/// Where line and column of "run.sh:2:19" are; nothing for the file as a whole.
inline std::optional<std::size_t> placeIn(const std::string& text, const std::string& where) {
    const std::size_t column = where.rfind(':');
    const std::size_t line = column == std::string::npos ? column : where.rfind(':', column - 1);
    if (line == std::string::npos) {
        return std::nullopt;
    }
    std::size_t at = 0;
    for (int i = std::stoi(where.substr(line + 1)); i > 1; --i) {
        at = text.find('\n', at) + 1;
    }
    return at + std::stoul(where.substr(column + 1)) - 1;
}

inline bool isKeyLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
           letter == '-' || letter == '.';
}

/// The end of a value of JSON or YAML: what closes it is counted.
inline std::size_t endOfValue(const std::string& text, std::size_t at) {
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char letter = text[at];
        depth += letter == '{' || letter == '[' ? 1 : 0;
        if (depth == 0 && (letter == ',' || letter == '}' || letter == ']' || letter == '\n')) {
            return at;
        }
        depth -= letter == '}' || letter == ']' ? 1 : 0;
    }
    return at;
}

/// Where a key stands, with what stands between it and its value: "stage": or stage =.
inline std::size_t findKey(const std::string& text, const std::string& key, char between) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        const std::size_t end = text.find_first_not_of(' ', at + key.size());
        const bool isWhole = at == 0 || key.front() == '"' || !isKeyLetter(text[at - 1]);
        if (isWhole && end != std::string::npos && text[end] == between) {
            return at;
        }
    }
    return std::string::npos;
}

/// The assignments of a fix: commas that no bracket holds part them.
inline std::vector<std::string> assignmentsOf(const std::string& keys) {
    std::vector<std::string> all(1);
    int depth = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        depth += keys[i] == '{' || keys[i] == '[' ? 1 : keys[i] == '}' || keys[i] == ']' ? -1 : 0;
        if (depth == 0 && keys.compare(i, 2, ", ") == 0) {
            all.emplace_back();
            ++i;
        } else {
            all.back() += keys[i];
        }
    }
    return all;
}

/// The key of the value that a finding in JSON stands at.
inline std::optional<std::size_t> keyOfValue(const std::string& text,
                                             std::optional<std::size_t> value) {
    const std::size_t colon = value ? text.rfind(':', *value) : std::string::npos;
    return colon == std::string::npos ? value : text.rfind('"', colon - 2);
}

/// `"key": value` of JSON, `key: value` of YAML: in place of the key's, or beside what was found.
inline std::string withMapped(std::string text,
                              const std::string& assignment,
                              std::optional<std::size_t> found) {
    const std::string key = assignment.substr(0, assignment.find(':'));
    if (const std::size_t at = findKey(text, key, ':'); at != std::string::npos) {
        const std::size_t map = text.find('{', at);
        if (assignment.find('{') != std::string::npos && map < endOfValue(text, at)) {
            const std::size_t open = assignment.find('{');
            std::string inner = text.substr(map, endOfValue(text, at) - map);
            for (const std::string& one :
                 assignmentsOf(assignment.substr(open + 1, assignment.size() - open - 2))) {
                inner = withMapped(inner, one, std::nullopt);
            }
            return text.replace(map, endOfValue(text, at) - map, inner);
        }
        return text.replace(at, endOfValue(text, at) - at, assignment);
    }
    const bool isMap = assignment.ends_with("}");
    const std::size_t begin = text.find('{') + 1;
    return text.insert(isMap ? begin : found.value_or(begin), assignment + ", ");
}

/// `key = value` or `section.key = value` of TOML.
inline std::string withToml(std::string text,
                            const std::string& assignment,
                            std::optional<std::size_t> found) {
    std::string key = assignment.substr(0, assignment.find(" = "));
    const std::size_t dot = key.rfind('.');
    const std::string value = assignment.substr(assignment.find(" = "));
    const std::string section = dot == std::string::npos ? "" : "[" + key.substr(0, dot) + "]\n";
    key = dot == std::string::npos ? key : key.substr(dot + 1);
    const std::size_t from = section.empty() ? 0 : text.find(section);
    if (from == std::string::npos) {
        return text + "\n" + section + key + value;
    }
    const std::size_t at = findKey(text.substr(from), key, '=');
    const std::size_t next = section.empty() ? std::string::npos : text.find("\n[", from + 1);
    if (at != std::string::npos && from + at < next) {
        return text.replace(from + at, text.find('\n', from + at + 1) - (from + at), key + value);
    }
    return text.insert(section.empty() ? found.value_or(text.size()) : from + section.size(),
                       key + value + "\n");
}

/// Arguments of the last line, `export NAME=value` and `#SBATCH --name=value`.
inline std::string withArguments(std::string text,
                                 const std::string& typed,
                                 const std::string& afterWord) {
    for (const char* const line : {"export ", "#SBATCH "}) {
        if (typed.starts_with(line)) {
            const std::string name = typed.substr(0, typed.find('=') + 1);
            const std::string option = name.substr(name.find(' ') + 1);
            const std::size_t at = text.find(option);
            return at == std::string::npos ? typed + "\n" + text
                                           : text.replace(at,
                                                          text.find_first_of(" \n", at) - at,
                                                          typed.substr(typed.find(' ') + 1));
        }
    }
    std::istringstream words(typed);
    std::vector<std::vector<std::string>> arguments;
    for (std::string word; words >> word;) {
        if (word.starts_with("--")) {
            arguments.emplace_back();
        }
        arguments.back().push_back(word);
    }
    for (const std::vector<std::string>& one : arguments) {
        const std::size_t at = (text + " ").find(" " + one.front() + " ");
        std::size_t end = at == std::string::npos ? at : at + 1 + one.front().size();
        while (end < text.size() && text.compare(end, 2, " -") != 0 && text[end] != '\n' &&
               one.size() > 1 && text.compare(end, 14, " pretrain_gpt.") != 0 &&
               text.compare(end, 7, " train.") != 0) {
            ++end;
        }
        std::string said;
        for (const std::string& word : one) {
            said += " " + word;
        }
        const bool isLaunchers = !afterWord.empty() && at == std::string::npos;
        if (isLaunchers) {
            text.insert(text.find(afterWord) + afterWord.size(), said);
        } else {
            text = at == std::string::npos ? text + said : text.replace(at, end - at, said);
        }
    }
    return text;
}

/// The text without a key and its value, and what parts it from the next one.
inline std::string withoutKey(std::string text, std::size_t at, bool isTyped) {
    std::size_t end = isTyped ? text.find_first_of(" \n", at) : endOfValue(text, at);
    while (isTyped && end < text.size() && text[end] == ' ' && text[end + 1] != '-' &&
           !text.substr(end + 1, text.find(' ', end + 1) - end - 1).ends_with(".py")) {
        end = text.find_first_of(" \n", end + 1);
    }
    end = std::min(end, text.size());
    if (!isTyped && text.compare(end, 2, ", ") == 0) {
        return text.erase(at, end + 2 - at);
    }
    const bool isLast = !isTyped && at >= 2 && text.compare(at - 2, 2, ", ") == 0;
    return text.erase(isLast ? at - 2 : at, end - at + (isLast ? 2 : 0));
}

/// "leave it out" and "leave --fp16 out" as the place of the key; nothing for another fix.
inline std::optional<std::size_t> leftOut(const std::string& text,
                                          const std::string& fix,
                                          std::optional<std::size_t> found) {
    const std::size_t end = fix.find(" out");
    if (!fix.starts_with("leave ") || end == std::string::npos) {
        return std::nullopt;
    }
    const std::string name = fix.substr(6, end - 6);
    const std::size_t at = name == "it" ? found.value_or(std::string::npos) : text.find(name);
    return at == std::string::npos ? std::nullopt : std::optional(at);
}

/// Nothing where the fix is no key of this kind of file, but a sentence.
inline std::optional<std::string> appliedFix(const std::string& text, const LintFinding& finding) {
    std::string changed = text;
    const std::size_t nameEnd = finding.where.find(':');
    const std::string file = finding.where.substr(0, nameEnd);
    std::optional<std::size_t> found = placeIn(text, finding.where);
    found = file.ends_with(".json") ? keyOfValue(text, found) : found;
    for (const std::string& one : assignmentsOf(keysOfFix(finding.fix))) {
        const bool isJson = one.starts_with("\"") && one.find("\": ") != std::string::npos;
        const bool isYaml = !one.empty() && isKeyLetter(one.front()) &&
                            std::ranges::all_of(one.substr(0, one.find(": ")), isKeyLetter) &&
                            one.find(": ") != std::string::npos;
        const bool isToml = one.find(" = ") != std::string::npos;
        const bool isTyped =
            one.starts_with("--") || one.starts_with("export ") || one.starts_with("#SBATCH ");
        if (const auto at = leftOut(changed, one, found); at && !file.ends_with(".py")) {
            changed = withoutKey(changed, *at, file.ends_with(".sh"));
        } else if (file.ends_with(".json") && isJson) {
            changed = withMapped(changed, one, found);
        } else if (file.ends_with(".yaml") && isYaml) {
            changed = withMapped(changed, one, found);
        } else if (file.ends_with(".toml") && isToml) {
            changed = withToml(changed, one, found);
        } else if (file.ends_with(".sh") && isTyped) {
            changed = withArguments(changed, one, finding.code.starts_with("LN") ? "torchrun" : "");
        } else {
            return std::nullopt;
        }
    }
    return changed;
}

}  // namespace fabricast::applied_fix
