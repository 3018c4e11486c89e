#include "gui/window/bubble_place.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr int kGap = 12;

/// As far as needed to be inside.
QRect movedInto(QRect bubble, const QRect& window) {
    const QRect room = window.adjusted(kGap, kGap, -kGap, -kGap);
    bubble.moveLeft(std::max(room.left(), std::min(bubble.left(), room.right() - bubble.width())));
    bubble.moveTop(std::max(room.top(), std::min(bubble.top(), room.bottom() - bubble.height())));
    return bubble;
}

}  // namespace

QRect bubblePlace(const QRect& target, const QSize& size, const QRect& window) {
    const QPoint centre = target.center() - QPoint(size.width() / 2, size.height() / 2);
    const std::array corners = {QPoint(target.right() + kGap, centre.y()),
                                QPoint(target.left() - kGap - size.width(), centre.y()),
                                QPoint(centre.x(), target.bottom() + kGap),
                                QPoint(centre.x(), target.top() - kGap - size.height())};
    for (const QPoint& corner : corners) {
        const QRect bubble = movedInto(QRect(corner, size), window);
        if (!bubble.intersects(target)) {
            return bubble;
        }
    }
    const QRect inside = target & window;
    return movedInto(
        QRect(inside.bottomRight() - QPoint(size.width() + kGap, size.height() + kGap), size),
        window);
}

}  // namespace fabricast
