#include "simulator/faults/random_draws.h"

#include <bit>
#include <cmath>

namespace fabricast {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// The finalizer of splitmix64.
std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111eb;
    return word ^ (word >> 31U);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t run, RandomUse use) {
    std::uint64_t word = mixed(seed + kGolden);
    word = mixed((word ^ run) + kGolden);
    word = mixed((word ^ static_cast<std::uint64_t>(use)) + kGolden);
    for (std::uint64_t& part : state_) {
        word += kGolden;
        part = mixed(word);
    }
}

std::uint64_t RandomStream::next() {
    const std::uint64_t answer = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return answer;
}

double RandomStream::uniform() {
    constexpr double kMantissaStep = 0x1p-52;
    return (static_cast<double>(next() >> 12U) + 0.5) * kMantissaStep;
}

double RandomStream::exponential(double mean) {
    return -mean * std::log(uniform());
}

}  // namespace fabricast
