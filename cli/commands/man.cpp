#include "cli/command.h"
#include "manual/help_text.h"
#include "planner/base/nearest_name.h"
#include "study/reference_words.h"

#include <memory>
#include <string_view>

namespace fabricast {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

Result<Answer> runMan(const FlagSet& program, const std::vector<std::string>& typed) {
    const CommandInfo all = program.info();
    const auto page = [&all](const CommandInfo& command) {
        return Answer{.text =
                          manPage(command, all, "fabricast " FABRICAST_VERSION, exitCodesTopic())};
    };
    const std::string wanted = joined(typed);
    if (wanted.empty()) {
        return page(all);
    }
    std::vector<std::string> known;
    for (const auto& [path, command] : commandPaths(all)) {
        if (path == wanted) {
            return page(*command);
        }
        known.push_back(path);
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    return fail(Error::Code::NotFound,
                "man",
                "there is no command \"" + wanted + "\"",
                suggestName(wanted, names));
}

}  // namespace

Command manCommand(const FlagSet& program, const GlobalOptions& /*options*/) {
    const FlagSet app = program.command("man", "Print the manual page of a command, for man -l");
    app.footer(
        "examples:\n"
        "  fabricast man plan | man -l -\n"
        "  fabricast man > ~/.local/share/man/man1/fabricast.1");
    const auto command = std::make_shared<std::vector<std::string>>();
    app.add("command", *command, "a command, or two words of one: profiles show")
        .takes("[COMMAND]");
    return {app, [program, command] { return runMan(program, *command); }, false, kTextAlone};
}

}  // namespace fabricast
