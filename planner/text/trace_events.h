#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The slices and names of a trace (Trace Event Format), as torch.profiler and Chrome write them.
struct TraceEvents {
    using Word = std::uint32_t;  ///< index of `words`

    struct Slice {
        Word name = 0;
        Word category = 0;
        Word process = 0;
        Word thread = 0;
        double start = 0.0;  ///< in microseconds
        double lasts = 0.0;
    };
    /// What a process or a thread is called.
    struct Name {
        Word process = 0;
        Word thread = 0;  ///< empty word: of the process
        Word name = 0;
    };

    std::vector<std::string> words;  ///< each once; the first one is empty
    std::vector<Slice> slices;
    std::vector<Name> names;

    [[nodiscard]] const std::string& text(Word word) const { return words[word]; }
};

inline constexpr std::size_t kMostTraceBytes = std::size_t{512} << 20;
inline constexpr std::size_t kMostTraceSlices = 2'000'000;

/// Reads a trace event by event, without a tree of its values. Everything that is no slice or name
/// is passed over. Refused: what is no JSON, has no list of events, is nested more than 64 levels,
/// or has more than two million slices.
Result<TraceEvents> parseTraceEvents(std::string_view text, const std::string& source);

}  // namespace fabricast
