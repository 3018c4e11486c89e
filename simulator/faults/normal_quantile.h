#pragma once

namespace fabricast {

/// Where the standard normal distribution has `p` of its mass below, 0 < p < 1: Wichura's AS 241
/// (Applied Statistics 37, 1988), to 1e-15 of the value.
double normalQuantile(double p);

/// The largest of `count` independent standard normal numbers, drawn by one uniform number `u`:
/// where the normal distribution has u^(1/count) of its mass below. Exact for any count, of which
/// the upper tail keeps all digits.
double largestOfNormals(double count, double u);

}  // namespace fabricast
