#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <cstdint>
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

}  // namespace fabricast
