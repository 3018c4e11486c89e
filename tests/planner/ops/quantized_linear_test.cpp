#include "planner/ops/quantized_linear.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

struct PackedCase {
    std::string name;
    QuantizedMatrix matrix;
    std::int64_t bytes = 0;
};

class PackedBytes : public testing::TestWithParam<PackedCase> {};

TEST_P(PackedBytes, AreCodesScalesAndTables) {
    EXPECT_EQ(packedBytes(GetParam().matrix), GetParam().bytes);
}

// 2,883,584 elements: 45,056 blocks of 64, and 176 of 256 scales.
INSTANTIATE_TEST_SUITE_P(
    ,
    PackedBytes,
    testing::Values(
        PackedCase{"nf4", {Dtype::Nf4, false, 2816, 1024}, 2883584 / 2 + 45056 * 4 + 64},
        PackedCase{"nf4_double",
                   {Dtype::Nf4, true, 2816, 1024},
                   2883584 / 2 + 45056 + 176 * 4 + 1024 + 4 + 64},
        PackedCase{"nf4_partial_block", {Dtype::Nf4, false, 1, 65}, 33 + 2 * 4 + 64},
        PackedCase{"int8", {Dtype::Int8, false, 2816, 1024}, 2883584 + 2816 * 4}),
    [](const auto& row) { return row.param.name; });

TEST(SharedTable, OnlyDoubleQuantizationHasOne) {
    EXPECT_EQ(sharedTableBytes({.base = Dtype::Nf4, .doubleQuantization = true}), 1024);
    EXPECT_EQ(sharedTableBytes({.base = Dtype::Nf4}), 0);
    EXPECT_EQ(sharedTableBytes({.base = Dtype::Int8, .doubleQuantization = true}), 0);
}

}  // namespace
}  // namespace fabricast
