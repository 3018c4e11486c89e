#pragma once
#include "probes/record/answer.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// "disk kind=read|write bytes= path=FOLDER": a file in that folder, which has no name and is gone
/// with the probe. Past the page cache (O_DIRECT) where the file system allows it, which the word
/// "direct" says; where not, what is written is flushed, and what is read is evicted first.
Answer<Measurement> measureDisk(const Point& point);

}  // namespace fabricast::probe
