#pragma once
#include <QRect>
#include <QSize>

namespace fabricast {

/// Where a bubble about `target` is put inside of a window: to its right, its left, below or above,
/// the first of these where it covers nothing of it, else in its lower right corner.
QRect bubblePlace(const QRect& target, const QSize& size, const QRect& window);

}  // namespace fabricast
