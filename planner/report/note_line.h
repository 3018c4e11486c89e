#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

/// How much of a note says what kind of one it is: what was measured says so itself, "measured:
/// our-h100, 2026-11-20", and so does what a search leaves out, which settings have no effect, and
/// what lint finds.
inline std::size_t noteKindLength(std::string_view note) {
    for (const std::string_view kind : {"measured: ", "left out: ", "no effect here: ", "lint: "}) {
        if (note.starts_with(kind)) {
            return kind.size();
        }
    }
    return 0;
}

/// A note as a line of an answer: "assumed: sequence 4096 (default)".
inline std::string noteLine(const std::string& note) {
    return (noteKindLength(note) > 0 ? "" : "assumed: ") + note;
}

/// A note of one of several: "left out: dgx-h100: deepspeed dp=8".
inline std::string noteAbout(const std::string& name, std::string note) {
    return note.insert(noteKindLength(note), name + ": ");
}

}  // namespace fabricast
