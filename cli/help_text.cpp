#include "cli/help_text.h"

#include <algorithm>
#include <utility>
#include <vector>

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

bool isShown(const CLI::Option* option) {
    return !option->get_group().empty();
}

/// "-c, --cluster NAME".
std::string flagName(const CLI::Option* option) {
    std::string name;
    for (const std::string& letter : option->get_snames()) {
        name += (name.empty() ? "-" : ", -") + letter;
    }
    for (const std::string& word : option->get_lnames()) {
        name += (name.empty() ? "--" : ", --") + word;
    }
    return option->get_option_text().empty() ? name : name + " " + option->get_option_text();
}

std::vector<Line> argumentsOf(const CLI::App& app) {
    std::vector<Line> lines;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() && isShown(option)) {
            lines.push_back({option->get_option_text(), option->get_description()});
        }
    }
    return lines;
}

std::vector<Line> flagsOf(const CLI::App& app, const std::string& group) {
    std::vector<Line> lines;
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional() && option->get_group() == group) {
            lines.push_back({flagName(option), option->get_description()});
        }
    }
    return lines;
}

std::vector<Line> commandsOf(const CLI::App& app) {
    std::vector<Line> lines;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        lines.push_back({command->get_name(), command->get_description()});
    }
    return lines;
}

std::string usage(const CLI::App& app) {
    std::string line = "usage: " + commandName(app);
    line += commandsOf(app).empty() ? "" : " COMMAND";
    for (const Line& argument : argumentsOf(app)) {
        line += " " + argument.name;
    }
    return line + " [FLAGS]\n";
}

}  // namespace

std::string commandName(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : commandName(*parent) + " " + app.get_name();
}

std::string helpText(const CLI::App& app) {
    std::string text = app.get_description() + "\n\n" + usage(app);
    text += section("commands", commandsOf(app));
    text += section("arguments", argumentsOf(app));
    for (const std::string& group : app.get_groups()) {
        text +=
            group.empty() ? "" : section(group == "Options" ? "flags" : group, flagsOf(app, group));
    }
    if (app.get_parent() != nullptr) {
        text += "\nFlags of every command (--format, -o, --set, …): fabricast --help\n";
    }
    const std::string footer = app.get_footer();
    return footer.empty() ? text : text + "\n" + footer + "\n";
}

}  // namespace fabricast
