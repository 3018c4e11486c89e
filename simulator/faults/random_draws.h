#pragma once
#include <array>
#include <cstdint>

namespace fabricast {

/// What random numbers are drawn for. Each has a stream of its own, so that jitter does not move
/// the failures of a run.
enum class RandomUse : std::uint64_t { Failures = 1, Jitter = 2, Spells = 3 };

/// This draws the random numbers of one run: xoshiro256++, seeded by splitmix64. The same on every
/// machine, and whatever other runs draw.
///     RandomStream random(seed, run, RandomUse::Failures);
///     const double gap = random.exponential(mtbf);
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t run, RandomUse use);

    std::uint64_t next();
    /// Between 0 and 1, and never either: one of 2^52 evenly spaced numbers.
    double uniform();
    /// A time between events that come at random, so far apart on average; infinite stays so.
    double exponential(double mean);

private:
    std::array<std::uint64_t, 4> state_{};
};

/// Where the standard normal distribution has `p` of its mass below, 0 < p < 1: Wichura's AS 241
/// (Applied Statistics 37, 1988), to 1e-15 of the value.
double normalQuantile(double p);

/// The largest of `count` independent standard normal numbers, drawn by one uniform number `u`:
/// where the normal distribution has u^(1/count) of its mass below. Exact for any count, of which
/// the upper tail keeps all digits.
double largestOfNormals(double count, double u);

}  // namespace fabricast
