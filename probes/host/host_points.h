#pragma once
#include "probes/record/answer.h"
#include "probes/record/statistics.h"

#include <cstdint>

namespace fabricast::probe {

/// What a disk is written in, past the page cache.
inline constexpr std::int64_t kLeastDiskBytes = 4096;

/// "disk kind=read|write bytes= path=FOLDER": a file in that folder, which has no name and is gone
/// with the probe. Past the page cache (O_DIRECT) where the file system allows it, which the word
/// "direct" says; where not, what is written is flushed, and what is read is evicted first.
Answer<Measurement> measureDisk(const Point& point);

inline constexpr std::int64_t kLeastMemoryBytes = 1 << 16;
inline constexpr std::int64_t kMostHostThreads = 4096;

/// "memory op=copy|triad threads=N [bytes=]": the host's memory, as STREAM counts it: what is read
/// and what is written. `bytes` is that traffic, 1G where nothing is said.
Answer<Measurement> measureMemory(const Point& point);

/// "cpu_adam parameters=N threads=N": one AdamW step over fp32 states and gradients, 28 bytes a
/// parameter. `wrong` counts parameters that are not what the formula says.
Answer<Measurement> measureCpuAdam(const Point& point);

}  // namespace fabricast::probe
