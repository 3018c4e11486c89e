#pragma once
#include "planner/base/result.h"

#include <QPolygonF>
#include <string>
#include <vector>

namespace fabricast {

/// The outlines of a path of straight lines: "M0 0h12v4h-12z". A curve is refused.
Result<std::vector<QPolygonF>> svgOutlines(const std::string& path);

}  // namespace fabricast
