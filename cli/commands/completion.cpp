#include "cli/command.h"
#include "flags/question_arguments.h"
#include "manual/help_text.h"
#include "study/flag_words.h"

#include <array>
#include <memory>

namespace fabricast {
namespace {

using Write = std::string (*)(const CommandInfo& program);
constexpr std::array kShells = {Choice<Write>{"bash", &bashCompletion},
                                Choice<Write>{"zsh", &zshCompletion},
                                Choice<Write>{"fish", &fishCompletion}};

/// Puts in what flags and arguments may be that have no words of their own.
void addValues(CommandInfo& command, const ProfileStore& store) {
    for (FlagInfo& flag : command.flags) {
        if (flag.words.empty() && flag.takesValue()) {
            flag.words = valuesOfFlag(flag.names.back(), store);
        }
        flag.isList = flag.isList || isListFlag(flag.names.back(), flag.repeats);
    }
    const std::string path = command.name.substr(command.name.find(' ') + 1);
    for (FlagInfo& argument : command.arguments) {
        if (argument.words.empty()) {
            argument.words = valuesOfArgument(path, store);
        }
    }
    for (CommandInfo& inner : command.commands) {
        addValues(inner, store);
    }
}

/// Puts in the words of arguments that are commands: all of `man`, and with its topics of `help`.
void addCommands(CommandInfo& program) {
    std::vector<std::string> names;
    for (const CommandInfo& command : program.commands) {
        names.push_back(command.lastName());
    }
    for (CommandInfo& command : program.commands) {
        if (command.lastName() == "man" || command.lastName() == "help") {
            std::vector<std::string>& words = command.arguments.front().words;
            words.insert(words.end(), names.begin(), names.end());
        }
    }
}

Result<Answer> runCompletion(const FlagSet& program, Write write, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    CommandInfo all = program.info();
    addValues(all, bench.profiles());
    addCommands(all);
    return Answer{.text = write(all)};
}

}  // namespace

Command completionCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("completion", "Print the completion of this command line for a shell");
    app.footer(
        "With models, clusters and your own profiles (--profile-dir) as they are now:\n"
        "  fabricast completion bash > ~/.local/share/bash-completion/completions/fabricast\n"
        "  fabricast completion zsh > ~/.zfunc/_fabricast      # a folder of fpath\n"
        "  fabricast completion fish > ~/.config/fish/completions/fabricast.fish");
    const auto write = std::make_shared<Write>(nullptr);
    app.addChoice<Write>("shell", *write, kShells)
        .describe("bash, zsh or fish")
        .takes("SHELL")
        .required();
    return {app,
            [program, write, &options] { return runCompletion(program, *write, options); },
            false,
            kTextAlone};
}

}  // namespace fabricast
