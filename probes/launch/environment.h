#pragma once
#include <map>
#include <string>

namespace fabricast::probe {

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Those of this process.
Environment processEnvironment();

/// A variable's text; empty where it is not set.
std::string variableOf(const Environment& environment, const std::string& name);

}  // namespace fabricast::probe
