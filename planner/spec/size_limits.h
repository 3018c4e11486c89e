#pragma once
#include <cstdint>
#include <string>

namespace fabricast {

/// The samples of a step, however they are given, and the tokens of a sequence.
inline constexpr std::int64_t kLargestBatch = 16'777'216;
/// Ranks along one axis of a layout: more than any machine has, and small enough that products of
/// three sizes stay in 64 bits.
inline constexpr std::int64_t kMostAxisRanks = 1 << 20;

/// The multiples of `step` around a number that a batch or a sequence may be: "16 or 24". Empty:
/// none.
std::string multiplesAround(std::int64_t number, std::int64_t step);

}  // namespace fabricast
