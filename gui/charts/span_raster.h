#pragma once
#include "gui/charts/timeline.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// What a column of pixels of a lane shows.
struct SpanColumn {
    static constexpr std::uint8_t kIdle = 255;
    std::uint8_t kind =
        kIdle;              ///< which kind takes most of the column; the lower of two equal ones
    std::uint8_t busy = 0;  ///< how much of it spans take, of 255; something is at least 1
    bool critical = false;  ///< some of it is on the critical path
    bool edge = false;      ///< a span of some width starts here
    friend bool operator==(const SpanColumn&, const SpanColumn&) = default;
};

/// How many kinds of spans there may be; further ones count as the last.
inline constexpr std::size_t kMostSpanKinds = 32;

/// A lane seen at a resolution: one entry per column of pixels of the view. Each span in the view
/// is looked at once, and a wide one fills its columns at a stroke.
std::vector<SpanColumn> spanColumns(const SpanLane& lane,
                                    const ValueRange& view,
                                    std::size_t columns);

/// The first span that ends after a time.
std::size_t firstSpanAfter(const SpanLane& lane, double time);

}  // namespace fabricast
