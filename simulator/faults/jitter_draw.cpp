#include "simulator/faults/jitter_draw.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace fabricast {
namespace {

// From one to the other of the 2^52 uniform numbers.
constexpr double kFirst = -3.625;
constexpr double kLast = 36.75;
constexpr double kStep = 1.0 / 64.0;

/// The logarithm of the normal distribution, with all digits in both tails.
double logBelow(double z) {
    const double root = z / std::numbers::sqrt2;
    return z > 0.0 ? std::log1p(-0.5 * std::erfc(root)) : std::log(0.5 * std::erfc(-root));
}

double logShare(const std::vector<JitterGroup>& groups, double x) {
    double sum = 0.0;
    for (const JitterGroup& group : groups) {
        sum += group.ranks * logBelow(x / group.spread.count());
    }
    return sum;
}

/// Where the share's logarithm is `wanted`, not below `least`.
double inverted(const std::vector<JitterGroup>& groups, double wanted, double least, double scale) {
    constexpr int kHalvings = 48;
    double below = least;
    double width = scale;
    while (logShare(groups, below + width) < wanted && width < 64.0 * scale) {
        width *= 2.0;
    }
    for (int halving = 0; halving < kHalvings; ++halving) {
        width *= 0.5;
        below += logShare(groups, below + width) < wanted ? width : 0.0;
    }
    return below;
}

}  // namespace

JitterDraw::JitterDraw(const std::vector<JitterGroup>& groups) {
    if (groups.empty()) {
        return;
    }
    constexpr double kFarthest = 9.0;  // of a uniform number nothing is farther
    const double scale = std::ranges::max(groups, {}, &JitterGroup::spread).spread.count();
    double point = -kFarthest * scale;
    constexpr int kPoints = static_cast<int>((kLast - kFirst) / kStep) + 1;
    for (int i = 0; i < kPoints; ++i) {
        const double v = kFirst + kStep * static_cast<double>(i);
        point = inverted(groups, -std::exp(-v), point, kStep * scale);
        points_.push_back(point);
    }
}

double JitterDraw::seconds(double u) const {
    const double v = -std::log(-std::log(u));
    const double place =
        std::clamp((v - kFirst) / kStep, 0.0, static_cast<double>(points_.size()) - 1.0 - 1e-9);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    return points_[below] + part * (points_[below + 1] - points_[below]);
}

}  // namespace fabricast
