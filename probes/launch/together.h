#pragma once
#include "probes/launch/star.h"
#include "probes/record/measurement.h"

#include <functional>

namespace fabricast::probe {

/// Measures one point with all ranks at once; each comes to the same measurement.
using MeasureTogether = std::function<Answer<Measurement>(const Point&)>;

/// Rank 0: tells the others which point comes, and measures it with them.
Answer<Measurement> leadPoint(Star& star, const Point& point, const MeasureTogether& measure);

/// Any other rank: measures what rank 0 says, until it says that this was all.
Done followPoints(Star& star, const MeasureTogether& measure);

/// Rank 0: this was all.
void endPoints(Star& star);

}  // namespace fabricast::probe
