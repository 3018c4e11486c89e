#include "simulator/trace/svg_text.h"
#include "simulator/trace/timeline_style.h"
#include "simulator/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace fabricast {

std::string slicePaths(const std::vector<TimelineSlice>& slices, const RowPlace& place) {
    std::array<std::vector<TimelineSlice>, kPaints> byPaint;
    for (const TimelineSlice& slice : slices) {
        byPaint[static_cast<std::size_t>(slice.paint)].push_back(slice);
    }
    std::string text;
    for (std::size_t paint = 0; paint < kPaints; ++paint) {
        text += classPath(byPaint[paint], place, paintClass(static_cast<Paint>(paint)));
    }
    return text;
}

// Passes of one colour follow each other: a gap, as wide as a slice can spare, parts them.
std::string classPath(const std::vector<TimelineSlice>& slices,
                      const RowPlace& place,
                      std::string_view style) {
    constexpr std::int64_t kWidestGap = 70;
    if (slices.empty()) {
        return {};
    }
    std::string text = fmt::format("<path class=\"{}\" d=\"", style);
    for (const TimelineSlice& slice : slices) {
        const std::int64_t width = slice.right - slice.left;
        const std::string wide = svgNumber(width - std::min(width / 6, kWidestGap));
        fmt::format_to(std::back_inserter(text),
                       "M{} {}h{}v{}h-{}z",
                       svgNumber(100 * place.left + slice.left),
                       place.top,
                       wide,
                       place.height,
                       wide);
    }
    return text + "\"/>\n";
}

std::string microBatchNumbers(const std::vector<TimelineSlice>& slices, const RowPlace& place) {
    std::string text;
    for (const TimelineSlice& slice : slices) {
        const std::string number = std::to_string(slice.microBatch);
        const auto needed = 100 * (4 + 7 * static_cast<std::int64_t>(number.size()));
        if (slice.microBatch >= 0 && slice.paint <= Paint::WeightGradient &&
            slice.right - slice.left >= needed) {
            fmt::format_to(std::back_inserter(text),
                           R"(<text x="{}" y="{}" class="number">{}</text>)"
                           "\n",
                           svgNumber(100 * place.left + (slice.left + slice.right) / 2),
                           place.top + place.height / 2 + 4,
                           number);
        }
    }
    return text;
}

}  // namespace fabricast
