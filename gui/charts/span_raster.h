#pragma once
#include "gui/charts/timeline.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// What a column of pixels of a lane shows.
struct SpanColumn {
    static constexpr std::uint8_t kIdle = 255;
    std::uint8_t kind = kIdle;  ///< which kind takes most of the column
    std::uint8_t busy = 0;      ///< how much of it is taken by spans, of 255
    std::uint8_t critical = 0;  ///< 1: some of it is on the critical path
    friend bool operator==(const SpanColumn&, const SpanColumn&) = default;
};

/// A lane seen at a resolution: one entry per column of pixels of the view. Takes as long as there
/// are columns, not spans, where spans are narrower than a column: of those it looks at some.
std::vector<SpanColumn> spanColumns(const SpanLane& lane,
                                    const ValueRange& view,
                                    std::size_t columns);

/// The first span that ends after a time.
std::size_t firstSpanAfter(const SpanLane& lane, double time);

}  // namespace fabricast
