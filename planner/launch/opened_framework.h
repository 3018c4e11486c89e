#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a file is written in. Whatever is no launch file is a scenario.
enum class FileForm : std::uint8_t { Toml, Yaml, Json, Shell, Python, Scenario };

/// It follows from the file's ending; of a script also from its first line, and of DeepSpeed's JSON
/// from its keys. Where none of these says it, as of a file from standard input, it is what the
/// files of the framework `from` are written in.
///     formOf(text, "train.toml")                  →  FileForm::Toml
///     formOf(text, "standard input", "axolotl")   →  FileForm::Yaml
FileForm formOf(std::string_view text, const std::string& source, std::string_view from = {});

/// The frameworks whose files can be named so.
std::vector<std::string> frameworksOfFiles();

/// An error where a file is of another framework than it is said to be. Of a script that starts
/// something else nothing is known yet.
Result<void> checkFramework(const OpenedFile& file, std::string_view from);

// Keys as the file of a framework, which follows from what they are.

/// An error where YAML is no framework's that is read.
Result<OpenedFile> yamlFile(LaunchKeys keys);

/// A script of arguments, or one that starts a file of another kind: a program that reads none
/// says itself what it trains.
OpenedFile scriptFile(LaunchKeys keys);

/// Notes the file that is named by one of these keys.
void nameOther(OpenedFile& file, std::initializer_list<std::string_view> paths);

inline constexpr std::string_view kConfigOfAccelerate = "torchrun --config_file";
/// The file of arguments that one of TRL's trainers reads beside its own.
inline constexpr std::string_view kConfigOfTrl = "--config";

/// Has a file read those that were given together with it, in the place of what it names:
/// DeepSpeed's JSON is what Axolotl's `deepspeed` names, Accelerate's YAML what a script's
/// `--config_file` does. What it did not name, or calls otherwise, is said in `taken`.
void takeGiven(const std::vector<NamedText>& given, OpenedFile& file);

}  // namespace fabricast
