#pragma once
#include "planner/lint/lint_file.h"
#include "planner/lint/taken_values.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Whose keys a launch file has, how its values are read, and what becomes of keys that the
/// framework does not know.
struct KeyOwner {
    std::string_view framework;
    std::string_view version;
    ValueLoader loader = ValueLoader::Yaml;
    /// Sections whose unknown keys end the start; "" is the top level.
    std::vector<std::string_view> strict;
    /// Sections whose unknown keys are dropped without a word.
    std::vector<std::string_view> silent;
};

/// Nothing where a file's keys are not listed.
std::optional<KeyOwner> keyOwnerOf(const LintFile& file);

/// What surrounds a script is not the framework's.
bool isOfTheLauncher(std::string_view path);

}  // namespace fabricast
