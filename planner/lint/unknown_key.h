#pragma once
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Where a path of some levels stops to be known: "zero_optimization.foo" in zero_optimization.
struct UnknownKey {
    std::string section;
    std::string name;
};
std::optional<UnknownKey> unknownIn(const std::string& path, const std::vector<std::string>& known);

/// The names of a section's keys.
std::vector<std::string> keysIn(const std::string& section, const std::vector<std::string>& known);

/// The key that was meant: one that is spelled alike, else those of more words, as
/// "local_batch_size" of "batch_size".
std::string suggestedKey(const std::string& typed, const std::vector<std::string>& known);

}  // namespace fabricast
