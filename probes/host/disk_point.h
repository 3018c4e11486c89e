#pragma once
#include "probes/record/answer.h"
#include "probes/record/measurement.h"

#include <cstdint>

namespace fabricast::probe {

/// What a disk is written in, past the page cache.
inline constexpr std::int64_t kLeastDiskBytes = 4096;

/// "disk kind=read|write bytes= path=FOLDER": a file in that folder, which has no name and is gone
/// with the probe. Past the page cache (O_DIRECT) where the file system allows it, which the word
/// "direct" says; where not, what is written is flushed, and what is read is evicted first.
Answer<Measurement> measureDisk(const Point& point);

}  // namespace fabricast::probe
