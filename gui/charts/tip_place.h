#pragma once
#include <QRectF>
#include <QSizeF>

namespace fabricast {

/// Where a tip of a size goes: to the right of what it explains, or else to the left, below or
/// above it, wherever there is space within the page; at worst over it.
QRectF tipPlace(const QRectF& around, const QSizeF& tip, const QSizeF& page);

}  // namespace fabricast
