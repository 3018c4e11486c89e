#pragma once
#include <string>

namespace fabricast {

/// A profile of a node to be filled in: every key with a value that is valid, and what it means.
std::string nodeTemplate(const std::string& name);
/// The same of prices, for --price FILE.
std::string priceTemplate(const std::string& name);

}  // namespace fabricast
