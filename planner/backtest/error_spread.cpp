#include "planner/backtest/error_spread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace fabricast {

namespace {

std::vector<double> ranksOf(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] < values[b];
    });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
            ++last;
        }
        for (std::size_t i = first; i <= last; ++i) {
            ranks[order[i]] = 0.5 * static_cast<double>(first + last);
        }
        first = last + 1;
    }
    return ranks;
}

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double quantileOf(std::vector<double> sample, double q) {
    if (sample.empty()) {
        return 0.0;
    }
    std::sort(sample.begin(), sample.end());
    const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sample.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sample.size() - 1);
    const double part = at - static_cast<double>(below);
    return sample[below] + part * (sample[above] - sample[below]);
}

ErrorSpread spreadOf(const std::vector<double>& errors) {
    ErrorSpread spread{.n = errors.size()};
    if (errors.empty()) {
        return spread;
    }
    std::vector<double> sizes;
    sizes.reserve(errors.size());
    for (const double error : errors) {
        sizes.push_back(std::abs(error));
    }
    spread.bias = meanOf(errors);
    spread.median = quantileOf(sizes, 0.5);
    spread.mean = meanOf(sizes);
    spread.p90 = quantileOf(sizes, 0.9);
    spread.max = *std::max_element(sizes.begin(), sizes.end());
    return spread;
}

double rankCorrelation(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size() || a.size() < 2) {
        return 0.0;
    }
    const std::vector<double> x = ranksOf(a);
    const std::vector<double> y = ranksOf(b);
    const double middle = meanOf(x);  // of both: the ranks are the same numbers
    double xy = 0.0;
    double xx = 0.0;
    double yy = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - middle) * (y[i] - middle);
        xx += (x[i] - middle) * (x[i] - middle);
        yy += (y[i] - middle) * (y[i] - middle);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0.0;
}

}  // namespace fabricast
