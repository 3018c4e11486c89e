#include "manual/help_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kWidestName = 28;

struct Line {
    std::string name;
    std::string description;
};

/// Names in one column; one that is too wide has its description on the next line.
std::string section(const std::string& title, const std::vector<Line>& lines) {
    if (lines.empty()) {
        return {};
    }
    std::size_t width = 0;
    for (const Line& line : lines) {
        width = line.name.size() > kWidestName ? width : std::max(width, line.name.size());
    }
    std::string text = "\n" + title + ":\n";
    for (const Line& line : lines) {
        const bool wide = line.name.size() > kWidestName;
        text += "  " + line.name;
        text += wide ? "\n" + std::string(width + 4, ' ')
                     : std::string(width + 2 - line.name.size(), ' ');
        text += line.description + "\n";
    }
    return text;
}

std::vector<Line> linesOf(const std::vector<FlagInfo>& flags, const std::string* group = nullptr) {
    std::vector<Line> lines;
    for (const FlagInfo& flag : flags) {
        if (group == nullptr || flag.group == *group) {
            lines.push_back({flag.shown(), flag.description});
        }
    }
    return lines;
}

std::vector<Line> linesOf(const std::vector<CommandInfo>& commands) {
    std::vector<Line> lines;
    for (const CommandInfo& command : commands) {
        lines.push_back({command.lastName(), command.description});
    }
    return lines;
}

}  // namespace

std::string usageLine(const CommandInfo& command) {
    std::string line = "usage: " + command.name;
    line += command.commands.empty() ? "" : " COMMAND";
    for (const FlagInfo& argument : command.arguments) {
        line += " " + argument.value;
    }
    return line + " [FLAGS]\n";
}

std::string helpText(const CommandInfo& command) {
    std::string text = command.description + "\n\n" + usageLine(command);
    text += section("commands", linesOf(command.commands));
    text += section("arguments", linesOf(command.arguments));
    for (const std::string& group : command.groups) {
        text += section(group == "Options" ? "flags" : group, linesOf(command.flags, &group));
    }
    if (!command.isProgram) {
        text += "\nFlags of every command (--format, -o, --set, …): fabricast --help\n";
    }
    return command.footer.empty() ? text : text + "\n" + command.footer + "\n";
}

}  // namespace fabricast
