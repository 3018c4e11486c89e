#include "planner/launch/shell_commands.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

bool isEnv(const std::string& word) {
    return word == "env" || word.ends_with("/env");
}

/// Behind mpirun -x, docker run -e or --env stands what the started process is given.
bool isGivenBehind(const std::string& word) {
    return word == "-x" || word == "-e" || word == "--env";
}

}  // namespace

bool ShellBranches::takeKeyword(const std::string& word) {
    if (word == "if" || word == "case" || word == "for" || word == "while" || word == "until") {
        ++open_;
        return word != "case" && word != "for";
    }
    if (word == "fi" || word == "esac" || word == "done") {
        open_ = std::max(0, open_ - 1);
        return true;
    }
    return word == "then" || word == "do" || word == "else" || word == "elif" || word == "exec" ||
           word == "{" || word == "}";
}

void ShellBranches::separate(char letter, bool isDoubled) {
    mayNot_ = isDoubled;
    subshells_ += letter == '(' ? 1 : letter == ')' && subshells_ > 0 ? -1 : 0;
}

bool isAssignment(const std::string& word) {
    return !ShellVariables::assignedName(word).empty();
}

bool sourcesSettings(const ShellCommand& command) {
    constexpr std::array<std::string_view, 12> kOfShells = {"activate",
                                                            "conda",
                                                            "mamba",
                                                            "bashrc",
                                                            "profile",
                                                            "module",
                                                            "lmod",
                                                            "/etc/",
                                                            "/opt/",
                                                            "/usr/",
                                                            "venv",
                                                            "setvars"};
    const bool isSource =
        command.size() > 1 && (command[0].text == "source" || command[0].text == ".");
    return isSource && std::ranges::none_of(kOfShells, [&command](std::string_view part) {
               return command[1].text.find(part) != std::string::npos;
           });
}

bool isDeclaration(const std::string& word) {
    constexpr std::array<std::string_view, 5> kDeclarations = {
        "export", "declare", "typeset", "local", "readonly"};
    return std::ranges::find(kDeclarations, word) != kDeclarations.end();
}

bool isScriptNext(const ShellCommand& command) {
    constexpr std::size_t kMostOptions = 32;  // of a shell
    std::size_t last = command.size();
    const std::size_t first = last - std::min(last, kMostOptions);
    bool isAsked = false;
    while (last > first && command[last - 1].text.starts_with('-')) {
        const std::string& option = command[--last].text;
        isAsked = isAsked || (!option.starts_with("--") && option.ends_with('c'));
    }
    const std::string name =
        last == 0 ? "" : command[last - 1].text.substr(command[last - 1].text.rfind('/') + 1);
    return name == "eval" || (isAsked && (name == "bash" || name == "sh" || name == "zsh"));
}

ShellCommand environmentOf(const ShellCommand& command,
                           std::size_t begin,
                           const ShellVariables& variables) {
    ShellCommand given;
    const bool exports = command[0].text == "export";
    bool assigns = true;  // behind a command they are its arguments, but for env's
    for (std::size_t i = begin; i < command.size(); ++i) {
        const std::string* const known = variables.valueOf(command[i].text);
        const bool isGiven = i > 0 && isGivenBehind(command[i - 1].text);
        if (isAssignment(command[i].text) && (assigns || isGiven)) {
            given.push_back(command[i]);
        } else if (!exports) {
            const bool isOptions = command[i].text.starts_with('-') ||
                                   (i > 0 && command[i - 1].text == "-u");  // env -u NAME
            assigns = isEnv(command[i].text) || (assigns && isOptions);
        } else if (known != nullptr) {
            ShellWord word = command[i];
            word.text += "=" + *known;
            given.push_back(std::move(word));
        }
    }
    return given;
}

}  // namespace fabricast
