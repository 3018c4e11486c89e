#pragma once
#include <cstdint>

namespace fabricast {

// Whole numbers, none of them negative, and steps of at least one.

/// How many pieces of `size` hold `count`.
///     const std::int64_t perRank = ceilDivide(elements, ranks);
constexpr std::int64_t ceilDivide(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

/// The least multiple of `step` that is not below `value`.
///     const std::int64_t bytes = roundUp(requested, 512);
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return ceilDivide(value, step) * step;
}

/// For formulas in floating point.
constexpr double asDouble(std::int64_t count) {
    return static_cast<double>(count);
}

}  // namespace fabricast
