#include "planner/base/quantity_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace fabricast {
namespace {

using namespace literals;

template <class Q>
typename Q::rep parsed(std::string_view text) {
    const Result<Q> quantity = parseQuantity<Q>(text);
    EXPECT_TRUE(quantity) << quantity.error().text();
    return quantity ? quantity->count() : typename Q::rep{-1};
}

template <class Q>
std::string refusal(std::string_view text) {
    const Result<Q> quantity = parseQuantity<Q>(text, "--flag");
    EXPECT_FALSE(quantity) << text << " was taken as " << quantity->count();
    return quantity ? std::string() : quantity.error().text();
}

TEST(QuantityText, DecimalAndBinarySizesAreDifferent) {
    EXPECT_EQ(parsed<Bytes>("80 GB"), 80'000'000'000);
    EXPECT_EQ(parsed<Bytes>("80 GiB"), 85'899'345'920);
    EXPECT_EQ(parsed<Bytes>("80GiB"), 85'899'345'920);
    EXPECT_EQ(parsed<Bytes>("  80   GiB\t"), 85'899'345'920);
    EXPECT_EQ(parsed<Bytes>("1.5 KiB"), 1536);
    EXPECT_EQ(parsed<Bytes>("2 kB"), 2000);
    EXPECT_EQ(parsed<Bytes>("0 B"), 0);
    EXPECT_EQ(parsed<Bytes>("0.5e3 MB"), 500'000'000);
    EXPECT_EQ(parsed<Bytes>("9223372036854775.807 kB"), std::numeric_limits<std::int64_t>::max());
}

TEST(QuantityText, PartsOfAByteAreRoundedInPrefixedUnitsOnly) {
    EXPECT_EQ(parsed<Bytes>("79.65 GiB"), 85'523'536'282);  // 79.65 * 2^30 = 85 523 536 281.6
    EXPECT_EQ(parsed<Bytes>("1.2345 kB"), 1235);
    EXPECT_EQ(refusal<Bytes>("1.5 B"),
              "--flag: \"1.5 B\" is not a whole number (for example \"80 GiB\")");
    EXPECT_NE(refusal<Bytes>("0.0000001 kB").find("less than one"), std::string::npos);
}

TEST(QuantityText, NetworkRatesInBitsBecomeBytes) {
    EXPECT_EQ(parsed<BytesPerSecond>("400 Gbps"), 50e9);
    EXPECT_EQ(parsed<BytesPerSecond>("400 Gb/s"), 50e9);
    EXPECT_EQ(parsed<BytesPerSecond>("400Gbit/s"), 50e9);
    EXPECT_EQ(parsed<BytesPerSecond>("450 GB/s"), 450e9);
    EXPECT_EQ(parsed<BytesPerSecond>("3.35 TB/s"), 3.35e12);
    EXPECT_EQ(parsed<BytesPerSecond>("1 GiB/s"), 1073741824.0);
}

TEST(QuantityText, TheOtherDimensions) {
    EXPECT_EQ(parsed<FlopsPerSecond>("989 TFLOP/s"), 989e12);
    EXPECT_EQ(parsed<FlopsPerSecond>("989 TFLOPS"), 989e12);
    EXPECT_EQ(parsed<Flops>("3.8e25 FLOP"), 3.8e25);
    EXPECT_EQ(parsed<Flops>("5EFLOP"), 5e18) << "the E belongs to the unit";
    EXPECT_EQ(parsed<Hertz>("1830 MHz"), 1830e6);
    EXPECT_EQ(parsed<Watts>("700 W"), 700.0);
    EXPECT_EQ(parsed<Watts>("10.2 kW"), 10.2e3);
    EXPECT_EQ(parsed<Seconds>("1.5 us"), 1.5e-6);
    EXPECT_EQ(parsed<Seconds>("1.5 \u00b5s"), 1.5e-6);
    EXPECT_EQ(parsed<Seconds>("90 min"), 5400.0);
    EXPECT_EQ(parsed<Seconds>("2 d"), 172800.0);
    EXPECT_EQ(parsed<Usd>("$30000"), 30000.0);
    EXPECT_EQ(parsed<UsdPerHour>("$2.5/h"), 2.5);
    EXPECT_EQ(parsed<UsdPerHour>("2.5 USD/h"), 2.5);
    EXPECT_EQ(parsed<Tokens>("15T"), 15'000'000'000'000);
    EXPECT_EQ(parsed<Tokens>("300B"), 300'000'000'000);
    EXPECT_EQ(parsed<Tokens>("128Ki"), 131072);
    EXPECT_EQ(parsed<Tokens>("4096"), 4096);
}

TEST(QuantityText, ARefusalSaysWhatToType) {
    EXPECT_EQ(refusal<Bytes>("80"), "--flag: \"80\" has no unit (write \"80 GB\" or \"80 GiB\")");
    EXPECT_EQ(refusal<Bytes>("80 gib"),
              "--flag: \"80 gib\" is not a size: \"gib\" is not a unit of it (did you mean \"80 "
              "GiB\"?)");
    EXPECT_EQ(refusal<Bytes>("fast"),
              "--flag: \"fast\" is not a number with a unit (for example \"80 GiB\")");
    EXPECT_EQ(refusal<Bytes>("1,5 GB"),
              "--flag: \"1,5 GB\" is not a number with a unit (write the number without "
              "separators and with a decimal point)");
    EXPECT_EQ(refusal<BytesPerSecond>("450 GB"),
              "--flag: \"450 GB\" is not a bandwidth: \"GB\" is not a unit of it (for example "
              "\"450 GB/s\")");
}

TEST(QuantityText, NothingThatIsNoNumberGetsThrough) {
    for (const char* text : {"",
                             " ",
                             "-1 GB",
                             "+1 GB",
                             "nan GB",
                             "inf GB",
                             "infinity",
                             "1.2.3 GB",
                             ". GB",
                             "0x10 GB",
                             "1e GB",
                             "GB",
                             "1e99999999999 GB",
                             "1 GB GB",
                             "8 EiB",
                             "9223372036854775808 B",
                             "1e30 B",
                             "1e-40 GB"}) {
        EXPECT_FALSE(refusal<Bytes>(text).empty()) << text;
    }
    for (const char* text : {"1e400 W", "1e-400 W", "nan W", "-0 W", "1e9999 GW", "W"}) {
        EXPECT_FALSE(refusal<Watts>(text).empty()) << text;
    }
    std::string nines(1'000'000, '9');
    EXPECT_FALSE(refusal<Watts>(nines.append(" W")).empty());
}

TEST(QuantityText, PrintsTheShortestExactForm) {
    EXPECT_EQ(quantityText(80_GB), "80 GB");
    EXPECT_EQ(quantityText(80_GiB), "80 GiB");
    EXPECT_EQ(quantityText(1234_B), "1234 B");
    EXPECT_EQ(quantityText(Bytes(0)), "0 B");
    EXPECT_EQ(quantityText(Bytes(std::numeric_limits<std::int64_t>::min())), "-8 EiB");
    EXPECT_EQ(quantityText(400_Gbps), "50 GB/s");
    EXPECT_EQ(quantityText(FlopsPerSecond(989e12)), "989 TFLOP/s");
    EXPECT_EQ(quantityText(Seconds(1.5e-6)), "1.5 us");
    EXPECT_EQ(quantityText(Seconds(0)), "0 s");
    EXPECT_EQ(quantityText(Watts(700)), "700 W");
    EXPECT_EQ(quantityText(UsdPerHour(2.5)), "$2.5/h");
    EXPECT_EQ(quantityText(Tokens(15'000'000'000'000)), "15T");
    EXPECT_EQ(quantityText(Tokens(4096)), "4Ki");
    EXPECT_EQ(quantityText(Watts(1e300)), "1e300 W");
}

TEST(QuantityText, ShortTextKeepsThreeDigits) {
    EXPECT_EQ(shortText(Bytes(77'093'412'864)), "71.8 GiB");
    EXPECT_EQ(shortText(Bytes(77'093'412'864), UnitStyle::Decimal), "77.1 GB");
    EXPECT_EQ(shortText(1020_GiB), "1020 GiB");
    EXPECT_EQ(shortText(Bytes((1LL << 30) - 1)), "1 GiB");
    EXPECT_EQ(shortText(Bytes(999'960'000), UnitStyle::Decimal), "1 GB");
    EXPECT_EQ(shortText(Bytes(512)), "512 B");
    EXPECT_EQ(shortText(Bytes(-5 * (1LL << 30))), "-5 GiB");
    EXPECT_EQ(shortText(Seconds(0.012345)), "12.3 ms");
    EXPECT_EQ(shortText(Tokens(8'030'261'248)), "8.03B");
}

template <class Q>
void sizesRoundTrip(const char* name) {
    EXPECT_TRUE(rc::check(name, [] {
        const auto value =
            *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
        const auto shift = *rc::gen::inRange(0, 63);
        const Q quantity(value >> shift);
        RC_ASSERT(parseQuantity<Q>(quantityText(quantity)).value() == quantity);
    }));
}

TEST(QuantityTextProperty, WholeNumbersRoundTrip) {
    sizesRoundTrip<Bytes>("every size parses back to itself");
    sizesRoundTrip<Tokens>("every count parses back to itself");
}

template <class Q>
void realsRoundTrip() {
    EXPECT_TRUE(rc::check([] {
        const auto mantissa = *rc::gen::inRange<std::int64_t>(0, 1LL << 53);
        const auto power = *rc::gen::inRange(-300, 300);
        const Q quantity(std::ldexp(static_cast<double>(mantissa), power));
        RC_ASSERT(parseQuantity<Q>(quantityText(quantity)).value() == quantity);
    }));
}

TEST(QuantityTextProperty, RealNumbersRoundTrip) {
    realsRoundTrip<BytesPerSecond>();
    realsRoundTrip<Flops>();
    realsRoundTrip<FlopsPerSecond>();
    realsRoundTrip<Seconds>();
    realsRoundTrip<Hertz>();
    realsRoundTrip<Watts>();
    realsRoundTrip<Usd>();
    realsRoundTrip<UsdPerHour>();
}

RC_GTEST_PROP(QuantityTextProperty, AnyTextIsANumberOrARefusal, (const std::string& text)) {
    const Result<Bytes> size = parseQuantity<Bytes>(text);
    const Result<Seconds> time = parseQuantity<Seconds>("1" + text);
    RC_ASSERT(!size || size->count() >= 0);
    RC_ASSERT(!time || std::isfinite(time->count()));
}

}  // namespace
}  // namespace fabricast
