#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// What a slice of a measured step is.
enum class SliceKind : std::uint8_t { Kernel, Communication, Copy, Other };

/// A slice of a lane: nothing of the lane is under it.
struct MeasuredSlice {
    Seconds start;  ///< from the begin of the step
    Seconds end;
    SliceKind kind = SliceKind::Other;
    std::string name;
};

/// A stream of a GPU, or a thread, by start.
struct MeasuredLane {
    std::string name;  ///< "stream 7"
    std::vector<MeasuredSlice> slices;
    Seconds busy;
};

/// One step that was measured.
struct MeasuredTrace {
    std::string source;
    std::string step;  ///< "ProfilerStep#5"; empty: the trace names none, and all of it is one
    Seconds lasts;
    Seconds kernels;        ///< in which some kernel ran that sends nothing
    Seconds communication;  ///< in which one ran that does
    Seconds exposed;        ///< of that, beside no other kernel
    std::vector<MeasuredLane> lanes;
    std::int64_t dropped = 0;  ///< slices of lanes beyond those that are kept
};

/// Reads a trace of torch.profiler, or one that `simulate --trace` writes: the streams of the GPU
/// where it has some, else its threads. Of several steps it takes the last whole one. Whatever else
/// the file has is passed over; it may have 512 MiB and two million slices.
///     FABRICAST_ASSIGN(const MeasuredTrace trace, readMeasuredTrace("trace.json"));
Result<MeasuredTrace> readMeasuredTrace(const std::string& path);
/// The same of text that came from `source`.
Result<MeasuredTrace> parseMeasuredTrace(const std::string& text, const std::string& source);

}  // namespace fabricast
