#include "planner/request/typed_price.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace typed_price_test {

TEST(TypedPrice, IsReadAsPeopleWriteIt) {
    for (const char* const typed : {"$2.1/h",
                                    "2.10 USD/h",
                                    "$2.10",
                                    "2.10",
                                    "2.1/h",
                                    "2.1 / h",
                                    "$2.10 per hour",
                                    "$2.1/hr",
                                    "$2.10/GPU-hour",
                                    "2.1 USD",
                                    "USD 2.1",
                                    "US$2.10/h",
                                    "2.1$/h",
                                    "2.1 usd per gpu hour",
                                    "$2.10/gpu/h",
                                    "$2.10/h per GPU",
                                    "2.10 $/hour"}) {
        const auto price = readTypedPrice(typed, "--price");
        ASSERT_TRUE(price) << price.error().text();
        ASSERT_TRUE(*price) << typed;
        EXPECT_DOUBLE_EQ((*price)->count(), 2.1) << typed;
    }
}

TEST(TypedPrice, NamesAndFilesAreNone) {
    for (const char* const typed :
         {"aws", "market-2026-05", "aud-prices", "2026.json", "my/quote.json", "/h", ""}) {
        const auto price = readTypedPrice(typed, "--price");
        ASSERT_TRUE(price) << price.error().text();
        EXPECT_FALSE(*price) << typed;
    }
}

/// Each names what to type.
TEST(TypedPrice, OtherMoneyAndUnitsAreRefused) {
    const auto refused = [](const char* typed, const char* why, const char* hint) {
        const auto price = readTypedPrice(typed, "--price");
        ASSERT_FALSE(price) << typed;
        EXPECT_EQ(price.error().where, "--price");
        EXPECT_NE(price.error().why.find(why), std::string::npos) << price.error().text();
        EXPECT_NE(price.error().hint.find(hint), std::string::npos) << price.error().text();
    };
    refused("\u20ac2/h", "is not in US dollars", "--price '$2.10/h'");
    refused("2\u20ac", "is not in US dollars", "--price '$2.10/h'");
    refused("2.10 EUR/h", "is not in US dollars", "--price '$2.10/h'");
    refused("2,10", "has a comma", "--price '$2.10/h'");
    refused("$98/node/h", "\"/node\" is not a unit of it", "--price '$2.10/h'");
    refused("$1500/month", "\"/month\" is not a unit of it", "--price '$2.10/h'");
    refused(".10/h", "begins with a point", "'$2.10/h'");
    refused("$-2", "is negative", "$2.10/h");
    refused("spot", "is a kind of price", "--price-kind spot");
}

TEST(TypedPrice, OfSeveralGpus) {
    const auto prices = readGpuPrices("h100=$2.10/h,b200=4", "--price");
    ASSERT_TRUE(prices) << prices.error().text();
    ASSERT_EQ(prices->size(), 2U);
    EXPECT_EQ(prices->front().gpu, "h100");
    EXPECT_EQ(prices->front().price.count(), 2.10);
    EXPECT_EQ(prices->back().gpu, "b200");
    EXPECT_EQ(prices->back().price.count(), 4.0);
    for (const char* const other : {"aws", "2.10", "quotes/mine.json", ""}) {
        EXPECT_TRUE(readGpuPrices(other, "--price").value().empty()) << other;
    }
    for (const char* const wrong :
         {"h100=2,10", "h100=", "=2", "h100=cheap", "h100=2,", "h100=2 EUR"}) {
        EXPECT_FALSE(readGpuPrices(wrong, "--price")) << wrong;
    }
}

}  // namespace typed_price_test
}  // namespace fabricast
