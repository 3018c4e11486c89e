#pragma once
#include "simulator/engine/critical_path.h"
#include "simulator/memory/memory_curve.h"

#include <string>
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

}  // namespace fabricast
