#include "gui/charts/marker_outline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

RC_GTEST_PROP(HatchLines, LieInTheirBox, ()) {
    const auto pattern = static_cast<FillPattern>(*rc::gen::inRange(0, 8));
    const QRectF box(*rc::gen::inRange(-500, 500) / 10.0,
                     *rc::gen::inRange(-500, 500) / 10.0,
                     *rc::gen::inRange(1, 900) / 10.0,
                     *rc::gen::inRange(1, 900) / 10.0);
    const QRectF around = box.adjusted(-1e-9, -1e-9, 1e-9, 1e-9);
    for (const QLineF& line : hatchLines(pattern, box)) {
        RC_ASSERT(around.contains(line.p1()));
        RC_ASSERT(around.contains(line.p2()));
    }
}

TEST(HatchLines, AreThereForEveryPatternButOne) {
    for (int pattern = 0; pattern < static_cast<int>(FillPattern::Count_); ++pattern) {
        const bool solid = static_cast<FillPattern>(pattern) == FillPattern::Solid;
        EXPECT_EQ(hatchLines(static_cast<FillPattern>(pattern), {0, 0, 40, 30}).empty(), solid)
            << pattern;
    }
}

TEST(HatchLines, ContinueFromBoxToBox) {
    for (const FillPattern pattern : {FillPattern::Rows, FillPattern::Rising}) {
        const auto whole = hatchLines(pattern, {0, 0, 60, 35});
        const auto left = hatchLines(pattern, {0, 0, 25, 35});
        double leftLength = 0.0;
        for (const QLineF& line : left) {
            leftLength += line.length();
        }
        double within = 0.0;
        for (const QLineF& line : whole) {
            const double from = std::min(std::min(line.x1(), line.x2()), 25.0);
            const double to = std::min(std::max(line.x1(), line.x2()), 25.0);
            within += line.length() * (to - from) / std::abs(line.dx());
        }
        EXPECT_NEAR(leftLength, within, 1e-6);
    }
}

TEST(MarkerOutlines, AreAsLargeAsAsked) {
    for (int shape = 0; shape < static_cast<int>(MarkerShape::Count_); ++shape) {
        const auto outlines = markerOutline(static_cast<MarkerShape>(shape), 20);
        const QRectF bounds = outlines.front().boundingRect();
        EXPECT_GT(bounds.width(), 15) << shape;
        EXPECT_LT(bounds.width(), 28) << shape;
        EXPECT_TRUE(bounds.contains(QPointF(0, 0))) << shape;
    }
}

}  // namespace
}  // namespace fabricast
