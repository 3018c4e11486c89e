#pragma once
#include "gui/charts/canvas.h"

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace fabricast {

/// A marker around (0, 0); of two outlines the second is a hole.
std::vector<QPolygonF> markerOutline(MarkerShape shape, double size);

/// The strokes of a pattern within a box. They lie on a grid of the whole picture, so that boxes
/// side by side have them in line.
std::vector<QLineF> hatchLines(FillPattern pattern, const QRectF& box);

}  // namespace fabricast
