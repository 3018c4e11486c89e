#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <initializer_list>
#include <string_view>

namespace fabricast {

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

}  // namespace fabricast
