#include "manual/help_text.h"

#include <algorithm>
#include <string_view>

namespace fabricast {

ValueKind valueKindOf(const FlagInfo& flag) {
    if (!flag.words.empty()) {
        return ValueKind::Words;
    }
    const std::string_view value = flag.value;
    if (value.find("DIR") != std::string_view::npos) {
        return ValueKind::Folder;
    }
    for (const char* file : {"FILE", "RUNS", "LOG", "TABLE", "RECORD"}) {
        if (value.find(file) != std::string_view::npos) {
            return ValueKind::File;
        }
    }
    return ValueKind::Other;
}

bool isOpen(const FlagInfo& flag) {
    return std::ranges::any_of(flag.words,
                               [](const std::string& word) { return word.ends_with('='); });
}

bool hasFileBehind(const FlagInfo& flag) {
    return isOpen(flag) && flag.value.ends_with("=FILE");
}

std::string singleQuoted(const std::string& text) {
    std::string quoted = "'";
    for (const char letter : text) {
        quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return quoted + "'";
}

std::vector<std::pair<std::string, const CommandInfo*>> commandPaths(const CommandInfo& program) {
    std::vector<std::pair<std::string, const CommandInfo*>> paths;
    for (const CommandInfo& command : program.commands) {
        paths.emplace_back(command.lastName(), &command);
        for (const auto& [path, inner] : commandPaths(command)) {
            paths.emplace_back(command.lastName() + " " + path, inner);
        }
    }
    return paths;
}

}  // namespace fabricast
