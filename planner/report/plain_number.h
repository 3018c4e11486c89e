#pragma once
#include <string>

namespace fabricast {

/// A number for people: at least so many digits, every one before the point, thousands apart, and
/// never a power of ten.
///     plainNumber(0.000038841, 3) -> "0.0000388"    plainNumber(1048576.0, 3) -> "1,048,576"
std::string plainNumber(double value, int digits);
/// The same rounded to so many digits: "1,050,000".
std::string roundedNumber(double value, int digits);
/// The same with the zeros that were computed: "46.0" of 45.98, but "46" of a whole number.
std::string forecastNumber(double value, int digits);

}  // namespace fabricast
