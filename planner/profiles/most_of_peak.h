#pragma once

namespace fabricast {

/// What a GPU reaches of the FLOP/s of its data sheet at most: cards whose clock is above the
/// printed one, 1.06 on RTX 5090. Measurements above it are of another GPU, or of another unit.
inline constexpr double kMostOfPeak = 1.25;

/// How many times less than a data sheet's rate is left where everything goes wrong: what goes
/// another way, or waits for others, still passes a thousandth.
inline constexpr double kMostSlowed = 1000.0;

}  // namespace fabricast
