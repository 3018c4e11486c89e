#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// How far the numbers of two printed texts may be apart.
struct TextTolerance {
    double relative = 1e-3;
};
inline constexpr TextTolerance kExact{0.0};

/// Compares what a program prints with what it printed before: empty where both are the same, else
/// the first lines that differ. Words must be equal. A number with a decimal point, an exponent,
/// thousands separators or a unit may differ by the relative tolerance, and by one in its last
/// digit where it shows three digits or more, as a number close to it may be rounded the other way.
/// A plain whole number is a count and must be equal, and so must digits within a word (H100,
/// tp=8). Blanks and rules must be equal too, unless a number has become wider or narrower.
///     EXPECT_EQ(textDifference("step 7.35 ms\n", "step 7.34 ms\n"), "");
std::string textDifference(std::string_view text,
                           std::string_view expected,
                           TextTolerance tolerance = {});

}  // namespace fabricast
