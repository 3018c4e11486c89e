#pragma once
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Whether a file is there and may be run.
bool isProgram(const std::string& path);

/// The folders of PATH, in their order.
std::vector<std::string> foldersOnPath();

/// Where a shell would find a program.
std::optional<std::string> programOnPath(const std::string& name);

}  // namespace fabricast
