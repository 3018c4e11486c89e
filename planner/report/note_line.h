#pragma once
#include <string>

namespace fabricast {

/// A note as a line of an answer: "assumed: sequence 4096 (default)". What was measured says so
/// itself: "measured: our-h100, 2026-11-20".
inline std::string noteLine(const std::string& note) {
    return (note.starts_with("measured: ") ? "" : "assumed: ") + note;
}

}  // namespace fabricast
