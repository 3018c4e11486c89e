#pragma once
#include <string>

namespace fabricast {

/// What a file is that somebody wrote or a machine took long for, as an error calls it: "a record
/// of measurements", "a file of a sweep's points", "a gpu profile". Empty where nothing of it could
/// be lost: there is no file, or one of another kind, like an answer, which the same question gives
/// again.
std::string keptKind(const std::string& path);

}  // namespace fabricast
