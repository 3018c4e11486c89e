#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/python_values.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// Key of the switches of argparse that decide what a program does, where it is read alone: off.
inline constexpr const char* kUntypedSwitches = "switches";

/// The switches that decide what the program does and that nothing types, as this key.
std::optional<LaunchKey> untypedSwitches(const PythonValues& program, const PythonCourse& course);

/// A program as whoever starts it has it: os.environ.get("NAME", 1) is what NAME is set to, and
/// args.micro_batch of argparse what is typed, or else its default.
Result<LaunchKeys> readPythonKeys(std::string_view text,
                                  const std::string& source,
                                  PythonStart start);

/// What a script says of the program that it starts.
PythonStart pythonStartOf(const LaunchKeys& script);

}  // namespace fabricast
