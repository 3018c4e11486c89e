#pragma once
#include <string>

namespace fabricast {

/// A note as a line of an answer: "assumed: sequence 4096 (default)". What was measured says so
/// itself, "measured: our-h100, 2026-11-20", and so does what a search leaves out, and which
/// settings have no effect.
inline std::string noteLine(const std::string& note) {
    const bool saysItself = note.starts_with("measured: ") || note.starts_with("left out: ") ||
                            note.starts_with("no effect here: ");
    return (saysItself ? "" : "assumed: ") + note;
}

}  // namespace fabricast
