#include "gui/charts/tip_place.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fabricast {
namespace {

const QSizeF kPage(400, 300);

RC_GTEST_PROP(TipPlaces, LieInThePageAndDoNotHideWhatTheyExplain, ()) {
    const QRectF around(*rc::gen::inRange(0, 380),
                        *rc::gen::inRange(0, 280),
                        *rc::gen::inRange(1, 300),
                        *rc::gen::inRange(1, 100));
    const QSizeF tip(*rc::gen::inRange(20, 300), *rc::gen::inRange(20, 200));
    const QRectF place = tipPlace(around, tip, kPage);
    RC_ASSERT(QRectF({0, 0}, kPage).contains(place));
    RC_ASSERT(place.size() == tip);
    const bool below = around.bottom() + 10 + tip.height() <= kPage.height();
    const bool right = around.right() + 10 + tip.width() <= kPage.width();
    RC_ASSERT(!(below || right) || !place.intersects(around));
}

TEST(TipPlaces, GoToTheRightFirst) {
    EXPECT_EQ(tipPlace({10, 100, 20, 20}, {100, 40}, kPage), QRectF(40, 90, 100, 40));
    EXPECT_EQ(tipPlace({370, 100, 20, 20}, {100, 40}, kPage), QRectF(260, 90, 100, 40));
    EXPECT_EQ(tipPlace({0, 100, 400, 20}, {100, 40}, kPage), QRectF(150, 130, 100, 40));
    EXPECT_EQ(tipPlace({0, 250, 400, 40}, {100, 40}, kPage), QRectF(150, 200, 100, 40));
}

}  // namespace
}  // namespace fabricast
