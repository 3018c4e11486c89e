#pragma once
#include <string>

namespace fabricast {

/// One key of a question and its new value, as --set takes them: "layout.tp" and "8". The value
/// "null" removes the key.
struct Edit {
    std::string path;
    std::string value;
    std::string origin;  ///< what errors about the value point at: "--set", "-n", "nodes slider"

    friend bool operator==(const Edit&, const Edit&) = default;
};

}  // namespace fabricast
