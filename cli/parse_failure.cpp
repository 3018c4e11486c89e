#include "cli/parse_failure.h"

#include "cli/flag_values.h"
#include "cli/help_text.h"
#include "planner/base/nearest_name.h"

#include <string_view>

namespace fabricast {
namespace {

std::vector<std::string_view> flagsOf(const CLI::App* app) {
    std::vector<std::string_view> names;
    for (; app != nullptr; app = app->get_parent()) {
        for (const CLI::Option* option : app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::vector<std::string_view> commandsOf(const CLI::App* app) {
    std::vector<std::string_view> views;
    for (const CLI::App* command : app->get_subcommands({})) {
        views.push_back(command->get_name());
    }
    return views;
}

Error unknownFlag(const CLI::App* app, const std::string& flag) {
    const std::string name = flag.substr(0, flag.find('='));
    const std::size_t letters = name.find_first_not_of('-');
    const std::string typed = letters == std::string::npos ? "" : name.substr(letters);
    const std::string near = typed.size() > 1 ? nearestName(typed, flagsOf(app)) : "";
    return {Error::Code::BadInput,
            name,
            "there is no such flag",
            near.empty() ? commandName(*app) + " --help" : "--" + near};
}

Error unexpected(const CLI::App& program, const std::string& word) {
    const CLI::App* app = chosenCommand(program);
    if (word.size() > 1 && word.front() == '-') {
        return unknownFlag(app, word);
    }
    const std::vector<std::string_view> commands = commandsOf(app);
    if (commands.empty()) {
        return {Error::Code::BadInput,
                "",
                "\"" + word + "\" was not expected after \"" + commandName(*app) + "\"",
                commandName(*app) + " --help"};
    }
    return {Error::Code::BadInput,
            "",
            "there is no command \"" + word + "\"",
            suggestName(word, commands)};
}

/// "--model: 1 required TEXT missing" and "--model: At Most 1 required but received 2".
Error mismatch(const std::string& what, const std::string& help) {
    const std::string flag = what.substr(0, what.find(':'));
    const bool repeated = what.find("received") != std::string::npos;
    return {Error::Code::BadInput, flag, repeated ? "is said twice" : "needs a value", help};
}

}  // namespace

const CLI::App* chosenCommand(const CLI::App& program) {
    const CLI::App* app = &program;
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
    }
    return app;
}

Error argumentError(const CLI::App& program,
                    const std::vector<std::string>& arguments,
                    const CLI::ParseError& failure) {
    const CLI::App* app = chosenCommand(program);
    if (const std::vector<std::string> rest = program.remaining(true); !rest.empty()) {
        return unexpected(program, rest.front());
    }
    if (const auto* ours = dynamic_cast<const FlagError*>(&failure)) {
        return ours->error();
    }
    const std::string help = commandName(*app) + " --help";
    if (arguments.empty() || !app->get_subcommands({}).empty()) {
        return {Error::Code::BadInput,
                "",
                "a command is needed after \"" + commandName(*app) + "\"",
                help};
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
        return mismatch(failure.what(), help);
    }
    return {Error::Code::BadInput, "", failure.what(), help};
}

}  // namespace fabricast
