#pragma once
#include "simulator/engine/critical_path.h"
#include "simulator/engine/simulate.h"
#include "simulator/memory/memory_curve.h"
#include "simulator/trace/timeline_slices.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a picture of a step shows.
struct TimelinePicture {
    std::string title;
    std::string subtitle;
    std::vector<MemoryCurve> curves;  ///< a lane for the actor of each
    std::size_t stages = 0;           ///< of the pipeline, of which these may be some
};

/// A step as a picture (SVG): a lane for a rank of each stage with its passes, what they wait for
/// and concurrent transfers, its memory below, and above it a line where
/// it is on the critical path. The same step gives the same bytes.
std::string timelineSvg(const SimProgram& program,
                        const SimRun& run,
                        const CriticalPath& path,
                        const TimelinePicture& picture);

/// A simulation for Perfetto or chrome://tracing (Trace Event Format): a process for each actor, a
/// thread for each of its streams, a slice for each op, and an arrow from what made a stage
/// transfer to the transfer. The memory of actors that have a curve is a counter.
std::string traceJson(const SimProgram& program,
                      const SimRun& run,
                      const std::vector<MemoryCurve>& curves = {});

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
