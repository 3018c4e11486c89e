#include "manual/help_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

/// A text within a line: dashes stay dashes, and no backslash is a command.
std::string roff(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        safe += letter == '\\' ? "\\e" : letter == '-' ? "\\-" : std::string(1, letter);
    }
    return safe;
}

/// A line of its own, which is no request whatever it begins with.
std::string roffLine(std::string_view text) {
    const bool isRequest = text.starts_with('.') || text.starts_with('\'');
    return (isRequest ? "\\&" : "") + roff(text) + "\n";
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](char letter) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    });
    return text;
}

/// A word in an argument of a request; a quote would end it.
std::string quoted(std::string_view text) {
    std::string safe = roff(text);
    for (std::size_t at = 0; (at = safe.find('"', at)) != std::string::npos; at += 4) {
        safe.replace(at, 1, "\\(dq");
    }
    return "\"" + safe + "\"";
}

std::string heading(const std::string& title) {
    return ".SH " + quoted(upper(title)) + "\n";
}

std::string entry(const FlagInfo& flag) {
    std::string names;
    for (const std::string& name : flag.names) {
        names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    if (flag.takesValue()) {
        names += (names.empty() ? "\\fI" : " \\fI") + roff(flag.value) + "\\fR";
    }
    return ".TP\n" + names + "\n" +
           roffLine(flag.description.empty() ? flag.value : flag.description);
}

std::string flagsOf(const CommandInfo& command) {
    std::string text;
    for (const std::string& group : command.groups) {
        text += heading(group == "Options" ? "flags" : group);
        for (const FlagInfo& flag : command.flags) {
            text += flag.group == group ? entry(flag) : "";
        }
    }
    return text;
}

std::string commandsOf(const CommandInfo& command) {
    std::string text = command.commands.empty() ? "" : heading("commands");
    for (const CommandInfo& one : command.commands) {
        text += ".TP\n\\fB" + roff(one.lastName()) + "\\fR\n" + roffLine(one.description);
    }
    return text;
}

/// As it stands, line by line.
std::string asTyped(std::string_view text) {
    std::string lines = ".nf\n";
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines += end == 0 ? "\n" : roffLine(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines + ".fi\n";
}

}  // namespace

std::string manName(const CommandInfo& command) {
    std::string name = command.name;
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string manPage(const CommandInfo& command,
                    const CommandInfo& program,
                    const std::string& version,
                    const std::string& exitStatus) {
    const std::string name = manName(command);
    std::string page =
        ".TH " + quoted(upper(name)) + " 1 \"\" " + quoted(version) + " \"Fabricast\"\n";
    page += heading("name") + roff(name) + " \\- " + roff(command.description) + "\n";
    page += heading("synopsis") + "\\fB" + roff(command.name) + "\\fR";
    page += command.commands.empty() ? "" : " \\fICOMMAND\\fR";
    for (const FlagInfo& argument : command.arguments) {
        page += " \\fI" + roff(argument.value) + "\\fR";
    }
    page += " [\\fIFLAGS\\fR]\n" + commandsOf(command);
    page += command.arguments.empty() ? "" : heading("arguments");
    for (const FlagInfo& argument : command.arguments) {
        page += entry(argument);
    }
    page += flagsOf(command);
    page += command.isProgram ? "" : flagsOf(program);
    page += command.footer.empty() ? "" : heading("notes") + asTyped(command.footer);
    page += heading("exit status") + asTyped(exitStatus);
    page += heading("see also");
    page += command.isProgram ? "" : "\\fB" + roff(program.name) + "\\fR(1)\n";
    for (const CommandInfo& one : command.commands) {
        page += "\\fB" + roff(manName(one)) + "\\fR(1)\n";
    }
    return page + "\\fBfabricast help\\fR\n";
}

}  // namespace fabricast
