#include "planner/launch/own_words.h"

#include "planner/launch/bridge_keys.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/nemo.h"
#include "planner/launch/parsed_arguments.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

bool isFlagLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
}

/// The file's own key of an argument; nothing where it has none, or the file is of arguments.
std::optional<std::string> ownKey(const OpenedFile& file, const std::string& flag) {
    switch (file.words) {
        case MegatronWords::Nemo:
            return nemoKeyOf(flag);
        case MegatronWords::Bridge:
            return bridgeKeyOf(flag);
        case MegatronWords::Arguments:
            break;
    }
    return std::nullopt;
}

bool endsWith(const OpenedFile& file, std::string_view ending) {
    return file.keys.source().ends_with(ending);
}

/// "bf16=True" of "--bf16 True", "fp16" of "--fp16".
std::string withoutDashes(const std::string& text, const std::string& between) {
    std::string said;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t flag = std::min(text.find("--", at), text.size());
        said += text.substr(at, flag - at);
        std::size_t end = std::min(flag + 2, text.size());
        while (end < text.size() && isFlagLetter(text[end])) {
            said += text[end++];
        }
        const bool hasValue =
            text.compare(end, 5, " True") == 0 || text.compare(end, 6, " False") == 0;
        if (flag < text.size() && hasValue) {
            said += between;
            ++end;
        }
        at = end;
    }
    return said;
}

/// "--compile.enable" of "compile.enable = true": a key of torchtitan's TOML as its argument.
std::string asArguments(const std::string& text) {
    constexpr std::string_view kSets = " = ";
    std::string said = text;
    for (std::size_t sets = said.find(kSets); sets != std::string::npos;
         sets = said.find(kSets, sets)) {
        std::size_t begin = sets;
        while (begin > 0 && (isFlagLetter(said[begin - 1]) || said[begin - 1] == '.')) {
            --begin;
        }
        const bool isOn = said.compare(sets + kSets.size(), 4, "true") == 0;
        said.replace(sets, isOn ? kSets.size() + 4 : kSets.size(), isOn ? "" : " ");
        said.insert(begin, "--");
    }
    return said;
}

/// A number, a switch or a word in quotes.
std::string valueIn(const OpenedFile& file, const std::string& value) {
    const bool isPlain = value == "true" || value == "false" ||
                         value.find_first_not_of("0123456789.-+e") == std::string::npos;
    const bool isBare = endsWith(file, ".yaml") || endsWith(file, ".yml");
    return isPlain || isBare ? value : quotedText(value);
}

std::string valuesIn(const OpenedFile& file, const LaunchKey& key) {
    std::string text;
    for (const std::string& value : key.values) {
        text += (text.empty() ? "" : ", ") + valueIn(file, value);
    }
    return key.values.size() == 1 ? text : "[" + text + "]";
}

}  // namespace

std::string inOwnWords(const OpenedFile& file, const std::string& text) {
    const bool isYaml = endsWith(file, ".yaml") || endsWith(file, ".yml");
    if (file.kind == LaunchKind::Trainer && (isYaml || !isTypedIn(file.keys))) {
        return withoutDashes(text, isYaml ? ": " : "=");
    }
    if (file.kind == LaunchKind::Titan && !endsWith(file, ".toml")) {
        return asArguments(text);
    }
    std::string said;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t flag = std::min(text.find("--", at), text.size());
        said += text.substr(at, flag - at);
        std::size_t end = flag;
        while (end < text.size() && isFlagLetter(text[end])) {
            ++end;
        }
        const std::string typed = text.substr(flag, end - flag);
        said += typed.size() > 2 ? ownKey(file, typed).value_or(typed) : typed;
        at = end;
    }
    return said;
}

std::string asTyped(const std::string& text) {
    constexpr std::string_view kIs = ": ";
    const std::size_t is = text.find(kIs);
    const auto isOfKey = [](char letter) { return isFlagLetter(letter) || letter == '.'; };
    if (is == std::string::npos || !std::ranges::all_of(text.substr(0, is), isOfKey)) {
        return text;
    }
    const std::string key = text.substr(0, is);
    const std::string value = text.substr(is + kIs.size());
    const bool isMap = value.starts_with("{") && value.ends_with("}");
    return isMap ? key + "." + asTyped(value.substr(1, value.size() - 2)) : key + "=" + value;
}

std::string writtenKey(const OpenedFile& file, const LaunchKey& key) {
    if (key.path.starts_with("--")) {
        std::string text = key.path;
        for (const std::string& value : key.values) {
            text += " " + value;
        }
        return inOwnWords(file, text);
    }
    if (endsWith(file, ".toml")) {
        return key.path + " = " + valuesIn(file, key);
    }
    if (key.values.empty() && file.kind == LaunchKind::Titan) {
        return key.path;  // "activation-checkpoint:full" chooses a part of the arguments
    }
    return writtenInMaps(file, std::span(&key, 1));
}

std::string writtenInMaps(const OpenedFile& file,
                          std::span<const LaunchKey> keys,
                          std::size_t before) {
    const bool isJson = endsWith(file, ".json");
    std::string text;
    std::vector<std::string> said;
    for (const LaunchKey& key : keys) {
        const std::size_t end = std::min(key.path.find('.', before), key.path.size());
        const std::string section = key.path.substr(0, end);
        if (std::ranges::find(said, section) != said.end()) {
            continue;  // with the first of its section
        }
        said.push_back(section);
        const std::string name = section.substr(before);
        text += (text.empty() ? "" : ", ") + (isJson ? quotedText(name) : name) + ": ";
        if (end == key.path.size()) {
            text += valuesIn(file, key);
            continue;
        }
        std::vector<LaunchKey> inner;
        std::ranges::copy_if(keys, std::back_inserter(inner), [&section](const LaunchKey& one) {
            return one.path.starts_with(section + ".");
        });
        text += "{" + writtenInMaps(file, inner, end + 1) + "}";
    }
    return text;
}

}  // namespace fabricast
