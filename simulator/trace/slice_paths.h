#pragma once
#include "simulator/trace/timeline_slices.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Where a row of slices lies in the picture, in pixels.
struct RowPlace {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t height = 0;
};

/// A row as SVG: all slices of a paint are one path.
std::string slicePaths(const std::vector<TimelineSlice>& slices, const RowPlace& place);

/// Slices of one class as a path; nothing where there are none.
std::string classPath(const std::vector<TimelineSlice>& slices,
                      const RowPlace& place,
                      std::string_view style);

/// The microbatches of passes, where the number fits.
std::string microBatchNumbers(const std::vector<TimelineSlice>& slices, const RowPlace& place);

}  // namespace fabricast
