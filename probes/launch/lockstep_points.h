#pragma once
#include "probes/launch/control_channel.h"
#include "probes/record/measurement.h"

#include <functional>

namespace fabricast::probe {

/// Measures one point with all ranks at once; each comes to the same measurement.
using MeasureInLockstep = std::function<Answer<Measurement>(const Point&)>;

/// Rank 0: tells the others which point comes, and measures it with them.
Answer<Measurement> leadPoint(ControlChannel& channel,
                              const Point& point,
                              const MeasureInLockstep& measure);

/// Any other rank: measures what rank 0 says, until it says that this was all.
Done followPoints(ControlChannel& channel, const MeasureInLockstep& measure);

/// Rank 0: this was all.
void endPoints(ControlChannel& channel);

}  // namespace fabricast::probe
