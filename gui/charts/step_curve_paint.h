#pragma once
#include "gui/charts/timeline.h"

#include <vector>

namespace fabricast {

/// The highest value of a curve within each column of pixels of a view.
std::vector<double> stepMaxima(const StepCurve& curve, const ValueRange& view, std::size_t columns);

/// Memory over time, filled, with its limit and its peak.
void paintStepCurve(Canvas& canvas,
                    const StepCurve& curve,
                    const QRectF& row,
                    const PlotFrame& frame,
                    const ChartTheme& theme);

}  // namespace fabricast
