#include "gui/charts/tip_place.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr double kTipGap = 10.0;

double within(double wanted, double length, double whole) {
    return std::clamp(wanted, 0.0, std::max(0.0, whole - length));
}

}  // namespace

QRectF tipPlace(const QRectF& around, const QSizeF& tip, const QSizeF& page) {
    const double x = within(around.center().x() - tip.width() / 2, tip.width(), page.width());
    const double y = within(around.center().y() - tip.height() / 2, tip.height(), page.height());
    const std::array places = {
        QRectF(QPointF(around.right() + kTipGap, y), tip),
        QRectF(QPointF(around.left() - kTipGap - tip.width(), y), tip),
        QRectF(QPointF(x, around.bottom() + kTipGap), tip),
        QRectF(QPointF(x, around.top() - kTipGap - tip.height()), tip),
    };
    const QRectF whole({0.0, 0.0}, page);
    const auto* const place =
        std::ranges::find_if(places, [&](const QRectF& each) { return whole.contains(each); });
    return place == std::end(places) ? QRectF(QPointF(x, y), tip) : *place;
}

}  // namespace fabricast
