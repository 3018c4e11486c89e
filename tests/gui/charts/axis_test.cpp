#include "gui/charts/axis.h"

#include "gui/charts/shown_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr double kAxisGiB = 1024.0 * 1024.0 * 1024.0;

std::string labelsOf(const AxisTicks& ticks) {
    std::string text;
    for (const Tick& tick : ticks.ticks) {
        text += (text.empty() ? "" : " ") + tick.label;
    }
    return text;
}

struct TickCase {
    const char* name;
    Axis axis;
    ValueRange range;
    const char* labels;
    const char* caption;
};

class AxisTicksOf : public testing::TestWithParam<TickCase> {};

TEST_P(AxisTicksOf, AreRoundAndInOneUnit) {
    const TickCase& given = GetParam();
    const AxisTicks ticks = axisTicks(given.axis, given.range, 6);
    EXPECT_EQ(labelsOf(ticks), given.labels);
    EXPECT_EQ(axisCaption(given.axis, ticks), given.caption);
}

/// One label alone says no scale.
TEST(AxisTicks, AreTwoEvenWhereThereIsRoomForTwoAlone) {
    const Axis rate{.title = "tokens/s", .unit = AxisUnit::Count};
    EXPECT_EQ(labelsOf(axisTicks(rate, {87e3, 113e3}, 2)), "90k 100k");
    EXPECT_EQ(labelsOf(axisTicks(rate, {1.02e5, 1.19e5}, 2)), "105k 110k");
    EXPECT_EQ(labelsOf(axisTicks({.title = "GPUs", .unit = AxisUnit::Gpus}, {7.2, 8.4}, 2)), "8");
}

INSTANTIATE_TEST_SUITE_P(
    Examples,
    AxisTicksOf,
    testing::Values(
        TickCase{"number", {"x"}, {0, 1}, "0 0.2 0.4 0.6 0.8 1.0", "x"},
        TickCase{"below_zero", {"x"}, {-1.2, 0.9}, "-1.0 -0.5 0 0.5", "x"},
        TickCase{"share", {"MFU", AxisUnit::Percent}, {0, 0.45}, "0 % 10 % 20 % 30 % 40 %", "MFU"},
        TickCase{"memory",
                 {"memory", AxisUnit::Bytes},
                 {0, 90 * kAxisGiB},
                 "0 20 40 60 80",
                 "memory (GiB)"},
        TickCase{"speed",
                 {"rate", AxisUnit::BytesPerSecond},
                 {0, 450e9},
                 "0 100 200 300 400",
                 "rate (GB/s)"},
        TickCase{"short_time", {"t", AxisUnit::Seconds}, {0, 0.0042}, "0 1 2 3 4", "t (ms)"},
        TickCase{
            "long_time", {"t", AxisUnit::Seconds}, {0, 90 * 86400.0}, "0 20 40 60 80", "t (days)"},
        TickCase{"tokens",
                 {"tokens/s", AxisUnit::Count},
                 {4.1e5, 1.32e6},
                 "0.6M 0.8M 1.0M 1.2M",
                 "tokens/s"},
        TickCase{"money", {"cost", AxisUnit::Usd}, {0.2, 0.62}, "$0.2 $0.3 $0.4 $0.5 $0.6", "cost"},
        TickCase{"doubling",
                 {"GPUs", AxisUnit::Gpus, AxisScale::Log},
                 {8, 256},
                 "8 16 32 64 128 256",
                 "GPUs"},
        TickCase{"every_other",
                 {"GPUs", AxisUnit::Gpus, AxisScale::Log},
                 {8, 16384},
                 "16 64 256 1024 4096 16384",
                 "GPUs"},
        TickCase{"sizes",
                 {"size", AxisUnit::Bytes, AxisScale::Log},
                 {8192, 8 * kAxisGiB},
                 "32 KiB 1 MiB 32 MiB 1 GiB",
                 "size"},
        TickCase{"decades",
                 {"n", AxisUnit::Count, AxisScale::Log},
                 {100, 1e7},
                 "100 1k 10k 100k 1M 10M",
                 "n"}),
    [](const testing::TestParamInfo<TickCase>& each) { return std::string(each.param.name); });

RC_GTEST_PROP(AxisTicks, LieInTheRangeInOrderAndDiffer, ()) {
    const auto unit = static_cast<AxisUnit>(*rc::gen::inRange(0, 10));
    const bool log = *rc::gen::arbitrary<bool>();
    // There is no part of a byte or GPU.
    const bool whole = log && (unit == AxisUnit::Bytes || unit == AxisUnit::Gpus);
    const double low = std::pow(10.0, *rc::gen::inRange(whole ? 0 : -60, 100) / 10.0);
    const double factor = 1.0 + std::pow(10.0, *rc::gen::inRange(-20, 60) / 10.0);
    const auto most = static_cast<std::size_t>(*rc::gen::inRange(2, 15));
    const ValueRange range{low, low * factor};
    const Axis axis{"x", unit, log ? AxisScale::Log : AxisScale::Linear};
    const AxisTicks ticks = axisTicks(axis, range, most);
    RC_ASSERT(ticks.ticks.size() <= most);
    std::set<std::string> labels;
    double before = -1.0;
    for (const Tick& tick : ticks.ticks) {
        RC_ASSERT(tick.value >= range.low * (1 - 1e-6) - 1e-12);
        RC_ASSERT(tick.value <= range.high * (1 + 1e-6));
        RC_ASSERT(tick.value > before);
        before = tick.value;
        labels.insert(tick.label);
    }
    RC_ASSERT(labels.size() == ticks.ticks.size());
}

TEST(AxisTicks, OfAnEmptyRangeAreNone) {
    EXPECT_TRUE(axisTicks({"x"}, {1, 1}, 5).ticks.empty());
    EXPECT_TRUE(axisTicks({"x"}, {0, std::nan("")}, 5).ticks.empty());
    EXPECT_TRUE(axisTicks({"x", AxisUnit::Number, AxisScale::Log}, {0, 1}, 5).ticks.empty());
}

TEST(ValueText, NamesUnitsAndRounds) {
    EXPECT_EQ(valueText(AxisUnit::Number, 3.14159), "3.14");
    EXPECT_EQ(valueText(AxisUnit::Number, -0.04125), "-0.0413");
    EXPECT_EQ(valueText(AxisUnit::Percent, 0.4137), "41.4 %");
    EXPECT_EQ(valueText(AxisUnit::Count, 1.13e6), "1.13M");
    EXPECT_EQ(valueText(AxisUnit::Gpus, 4096), "4096");
    EXPECT_EQ(valueText(AxisUnit::Bytes, 71.8 * kAxisGiB), "71.8 GiB");
    EXPECT_EQ(valueText(AxisUnit::Seconds, 0.0073), "7.30 ms");
    EXPECT_EQ(valueText(AxisUnit::Seconds, 0.0), "0 s");
    EXPECT_EQ(valueText(AxisUnit::Usd, 0.336), "$0.34");
    EXPECT_EQ(valueText(AxisUnit::Usd, 0.0336), "$0.0336");
    EXPECT_EQ(valueText(AxisUnit::Usd, 1.2e6), "$1.2M");
    EXPECT_EQ(valueText(AxisUnit::Watts, 700), "700 W");
    EXPECT_EQ(valueText(AxisUnit::Number, std::nan("")), "not known");
}

TEST(ExactNumber, IsAsItIsForCsv) {
    EXPECT_EQ(exactNumber(0.1), "0.1");
    EXPECT_EQ(exactNumber(1e9), "1e+09");
    EXPECT_EQ(exactNumber(std::nan("")), "");
}

/// A window has no "71744992768" and no "5e+10".
TEST(ShownTable, HasAColumnInOneUnit) {
    const Table shown = shownTable(
        {{{"plan"},
          {"memory (B)", Align::Right},
          {"capacity (B/s)", Align::Right},
          {"load (1 is 100 %)", Align::Right},
          {"tokens per second", Align::Right},
          {"start (s)", Align::Right}},
         {{"1e3", "71744992768", "5e+10", "0.0304217772900739", "68107.12312", "0.003289014472"},
          {"b", "874512384", "", "0", "1825.182534550374", "0"}}});
    EXPECT_EQ(csvText(shown),
              "plan,memory (GiB),capacity (GB/s),load (%),tokens per second,start (s)\n"
              "1e3,66.82,50,3.04,\"68,107.1\",0.00328901\n"
              "b,0.81,,0,\"1,825.18\",0\n");
}

RC_GTEST_PROP(AxisShares, GoThereAndBack, ()) {
    const auto scale = *rc::gen::element(AxisScale::Linear, AxisScale::Log);
    const double low = *rc::gen::inRange(1, 1000) / 7.0;
    const ValueRange range{low, low * (1.1 + *rc::gen::inRange(0, 1000) / 3.0)};
    const double share = *rc::gen::inRange(-100, 200) / 100.0;
    const double value = valueAt(scale, range, share);
    RC_PRE(scale == AxisScale::Linear || value > 0.0);
    RC_ASSERT(std::abs(shareOf(scale, range, value) - share) < 1e-9);
}

RC_GTEST_PROP(AxisZoom, KeepsWhatItZoomsAround, ()) {
    const auto scale = *rc::gen::element(AxisScale::Linear, AxisScale::Log);
    const ValueRange range{2.0, 50.0};
    const double around = *rc::gen::inRange(20, 500) / 10.0;
    const ValueRange near = zoomed(scale, range, around, 2.0);
    RC_ASSERT(std::abs(shareOf(scale, near, around) - shareOf(scale, range, around)) < 1e-9);
    RC_ASSERT(near.span() < range.span());
}

TEST(AxisRange, HasRoomAndIsNeverEmpty) {
    const ValueRange roomy = roomyRange(AxisScale::Linear, {10, 20});
    EXPECT_LT(roomy.low, 10);
    EXPECT_GT(roomy.high, 20);
    EXPECT_GT(roomyRange(AxisScale::Linear, {5, 5}).span(), 0.0);
    EXPECT_GT(roomyRange(AxisScale::Linear, {0, 0}).span(), 0.0);
    EXPECT_EQ(roomyRange(AxisScale::Linear, {0, 8}).low, 0.0) << "nothing below 0 is needed";
    EXPECT_GT(roomyRange(AxisScale::Log, {0, 8}).low, 0.0);
}

TEST(ExactCaption, NamesTheUnitOfTheNumbersBelow) {
    EXPECT_EQ(exactCaption("peak memory", AxisUnit::Bytes), "peak memory (B)");
    EXPECT_EQ(exactCaption("GPU use", AxisUnit::Percent), "GPU use (1 is 100 %)");
    EXPECT_EQ(exactCaption("GPUs", AxisUnit::Gpus), "GPUs");
}

TEST(TitleIntro, IsNothingWithoutATitle) {
    EXPECT_EQ(titleIntro("Memory"), "Memory: ");
    EXPECT_EQ(titleIntro(""), "");
}

}  // namespace
}  // namespace fabricast
