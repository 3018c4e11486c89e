#include "planner/base/checked.h"

#include "planner/base/check.h"
#include "planner/base/ids.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fabricast {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

static_assert((Checked(3) * 4 + 5 - 1).fits());
static_assert(NodeId(2) < NodeId(3));
static_assert((++StageId(1)).index() == 2);

TEST(Checked, IsPlainArithmeticWhileItFits) {
    EXPECT_EQ((Checked(80) * 8192 * 8192 * 4 + 128256).result("", "").value(), 21'474'964'736);
    EXPECT_EQ((Checked(kMost) - 1 + 1).result("", "").value(), kMost);
}

TEST(Checked, RemembersThatItDidNotFit) {
    EXPECT_FALSE((Checked(kMost) + 1).fits());
    EXPECT_FALSE((Checked(kLeast) - 1).fits());
    EXPECT_FALSE((Checked(kMost) * 2).fits());
    EXPECT_FALSE((Checked(kLeast) * -1).fits());
    EXPECT_FALSE(((Checked(kMost) + 1) * 0).fits()) << "a later result cannot make it right again";
    EXPECT_EQ((Checked(kMost) * kMost).result("model.layers", "parameters").error().text(),
              "model.layers: the number of parameters does not fit 64 bits (use smaller sizes)");
}

TEST(Check, SaysWhereAndWhat) {
    const int stage = 4;
    EXPECT_NO_THROW(FABRICAST_CHECK(stage == 4));
    try {
        FABRICAST_CHECK(stage < 4);
        FAIL() << "a false condition must not pass";
    } catch (const CheckFailure& failure) {
        const std::string what = failure.what();
        EXPECT_NE(what.find("checked_test.cpp:"), std::string::npos) << what;
        EXPECT_NE(what.find("stage < 4"), std::string::npos) << what;
    }
}

TEST(SaturatingProduct, StopsAtTheLargestNumber) {
    EXPECT_EQ(saturatingProduct(std::int64_t{3}, std::int64_t{4}, std::int64_t{5}), 60);
    EXPECT_EQ(saturatingProduct(std::int64_t{1} << 40, std::int64_t{1} << 40),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(saturatingProduct(std::int64_t{1} << 62, std::int64_t{2}, std::int64_t{8}),
              std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace fabricast
