#pragma once
#include "probes/record/answer.h"
#include "probes/record/point.h"

namespace fabricast::probe {

/// Whether a point's settings are sound, before anything is measured: known names, values within
/// their bounds, a folder that is there. What only the machine cannot do is not wrong.
Done checkHostPoint(const Point& point);

}  // namespace fabricast::probe
