#pragma once
#include "manual/command_info.h"

#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// "usage: fabricast plan [FILE] [FLAGS]\n".
std::string usageLine(const CommandInfo& command);

/// What --help prints: usage, arguments, flags by group, commands and the footer.
std::string helpText(const CommandInfo& command);

/// A manual page (roff) of a command, or of the program: `fabricast man plan | man -l -`.
/// `exitStatus` are lines of "1  it does not fit".
std::string manPage(const CommandInfo& command,
                    const CommandInfo& program,
                    const std::string& version,
                    const std::string& exitStatus);

/// The page's name: "fabricast-profiles-show".
std::string manName(const CommandInfo& command);

// Scripts that complete a program's command line in a shell, with its commands, flags and known
// values; files where a value is one.
//     source <(fabricast completion bash)

std::string bashCompletion(const CommandInfo& program);
std::string zshCompletion(const CommandInfo& program);
std::string fishCompletion(const CommandInfo& program);

/// What a shell offers for a value: its words, files, folders, or nothing.
enum class ValueKind { Words, File, Folder, Other };
ValueKind valueKindOf(const FlagInfo& flag);

/// Whether a value is typed behind some of its words: "tp=".
bool isOpen(const FlagInfo& flag);
/// Whether that is a file: "junit=report.xml".
bool hasFileBehind(const FlagInfo& flag);

/// In single quotes for a shell, whatever it contains.
std::string singleQuoted(const std::string& text);
/// Every command below the program, outer ones first, with its path: "profiles show".
std::vector<std::pair<std::string, const CommandInfo*>> commandPaths(const CommandInfo& program);

}  // namespace fabricast
