#pragma once
#include <QRectF>
#include <QRgb>
#include <span>
#include <vector>

namespace fabricast {

/// Neighbouring columns of one colour.
struct StripRun {
    QRectF box;
    QRgb colour = 0;
};

/// A strip of a canvas as few boxes; transparent columns are left out.
std::vector<StripRun> stripRuns(const QRectF& box, std::span<const QRgb> colours);

}  // namespace fabricast
