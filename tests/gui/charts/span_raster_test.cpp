#include "gui/charts/span_raster.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

/// Times are eighths, which doubles add exactly.
SpanLane someLane() {
    SpanLane lane;
    double at = 0.0;
    const int count = *rc::gen::inRange(0, 40);
    for (int span = 0; span < count; ++span) {
        at += *rc::gen::inRange(0, 12) / 8.0;
        lane.start.push_back(at);
        at += *rc::gen::inRange(1, 60) / 8.0;
        lane.end.push_back(at);
        lane.kind.push_back(*rc::gen::inRange<std::uint8_t>(0, 4));
        lane.label.push_back(0);
        lane.critical.push_back(*rc::gen::inRange<std::uint8_t>(0, 2));
    }
    return lane;
}

/// Column by column, span by span.
std::vector<SpanColumn> naiveColumns(const SpanLane& lane,
                                     const ValueRange& view,
                                     std::size_t count) {
    std::vector<SpanColumn> columns(count);
    const double wide = view.span() / static_cast<double>(count);
    for (std::size_t column = 0; column < count; ++column) {
        const double from = view.low + static_cast<double>(column) * wide;
        std::array<double, 4> shares{};
        SpanColumn& result = columns[column];
        for (std::size_t span = 0; span < lane.size(); ++span) {
            const double overlap =
                std::min(lane.end[span], from + wide) - std::max(lane.start[span], from);
            if (overlap <= 0.0) {
                continue;
            }
            shares[lane.kind[span]] += overlap / wide;
            result.critical = result.critical || lane.critical[span] != 0;
            const bool startsHere = lane.start[span] >= from;
            result.edge =
                result.edge || (startsHere && lane.end[span] - lane.start[span] >= 4 * wide);
        }
        const auto most = std::ranges::max_element(shares);
        if (*most > 0.0) {
            const double busy = shares[0] + shares[1] + shares[2] + shares[3];
            result.kind = static_cast<std::uint8_t>(most - shares.begin());
            result.busy =
                static_cast<std::uint8_t>(std::lround(std::clamp(busy * 255.0, 1.0, 255.0)));
        }
    }
    return columns;
}

RC_GTEST_PROP(SpanColumns, AreWhatEachColumnHasMostOf, ()) {
    const SpanLane lane = someLane();
    const double low = *rc::gen::inRange(0, 400) / 8.0;
    const double wide = *rc::gen::element(0.125, 0.25, 0.5, 1.0, 2.0, 4.0);
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 80));
    const ValueRange view{low, low + wide * static_cast<double>(count)};
    RC_ASSERT(spanColumns(lane, view, count) == naiveColumns(lane, view, count));
}

TEST(SpanColumns, ShowTheSmallestSpan) {
    const SpanLane lane{
        .name = "a", .start = {50.0}, .end = {50.0001}, .kind = {2}, .label = {0}, .critical = {1}};
    const std::vector<SpanColumn> columns = spanColumns(lane, {0.0, 100.0}, 10);
    EXPECT_EQ(columns[5].kind, 2);
    EXPECT_EQ(columns[5].busy, 1);
    EXPECT_TRUE(columns[5].critical);
    EXPECT_EQ(columns[4].kind, SpanColumn::kIdle);
}

TEST(SpanColumns, TakeLanesWithoutSpansAndWithoutCriticalPath) {
    EXPECT_EQ(spanColumns({}, {0.0, 1.0}, 3), std::vector<SpanColumn>(3));
    const SpanLane lane{.start = {0.0}, .end = {1.0}, .kind = {200}, .label = {0}, .critical = {}};
    EXPECT_EQ(spanColumns(lane, {0.0, 1.0}, 1)[0].kind, kMostSpanKinds - 1);
    EXPECT_FALSE(spanColumns(lane, {0.0, 1.0}, 1)[0].critical);
    EXPECT_TRUE(spanColumns(lane, {0.0, 1.0}, 0).empty());
}

TEST(FirstSpanAfter, IsTheOneThatEndsLater) {
    const SpanLane lane{
        .start = {0, 2, 4}, .end = {1, 3, 5}, .kind = {0, 0, 0}, .label = {0, 0, 0}};
    EXPECT_EQ(firstSpanAfter(lane, 0.5), 0U);
    EXPECT_EQ(firstSpanAfter(lane, 1.0), 1U);
    EXPECT_EQ(firstSpanAfter(lane, 3.5), 2U);
    EXPECT_EQ(firstSpanAfter(lane, 9.0), 3U);
}

}  // namespace
}  // namespace fabricast
