#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "probes/fit/nelder_mead.h"
#include "probes/fit/number_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// A number of a fit that the search may move between two bounds. A bound that is a law of its own
/// (a wave fraction of 1, no penalty at all) may be the answer; at any other bound the measurements
/// do not say what the number is, and the fit is refused.
template <class Fit>
struct FreeNumber {
    std::string_view key;
    double (*get)(const Fit&);
    void (*set)(Fit&, double);
    double least;
    double most;
    bool leastIsLaw = false;
    bool mostIsLaw = false;
    double usual = 0.0;  ///< where nothing says otherwise: a weak prior; 0: none
};

/// How the search sees bounded numbers: without bounds, in the logarithm where they span decades.
class BoundedScale {
public:
    BoundedScale(double least, double most) : least_(least), most_(most), log_(least > 0) {}

    [[nodiscard]] double inside(double free) const {
        const double part = 1 / (1 + std::exp(-free));
        return log_ ? least_ * std::pow(most_ / least_, part) : least_ + part * (most_ - least_);
    }
    [[nodiscard]] double outside(double value) const {
        const double part = std::clamp(partOf(value), kEdge, 1 - kEdge);
        return std::log(part / (1 - part));
    }
    /// 0 at the least, 1 at the most.
    [[nodiscard]] double partOf(double value) const {
        return log_ ? std::log(value / least_) / std::log(most_ / least_)
                    : (value - least_) / (most_ - least_);
    }

private:
    /// A start at a bound begins this far inside, or the search could not leave it.
    static constexpr double kEdge = 0.02;

    double least_;
    double most_;
    bool log_;
};

/// This close to a bound, in parts of the scale, a number is at it.
inline constexpr double kAtBound = 0.005;
/// A factor of e away from the usual value weighs as much as this mean error.
inline constexpr double kPriorWeight = 0.002;

template <class Fit>
double priorOf(std::span<const FreeNumber<Fit>> numbers, const Fit& fit) {
    double sum = 0.0;
    for (const FreeNumber<Fit>& number : numbers) {
        if (number.usual > 0) {
            const double distance = std::log(std::max(number.get(fit), 1e-30) / number.usual);
            sum += kPriorWeight * distance * distance;
        }
    }
    return sum;
}

template <class Fit>
std::string boundReached(std::span<const FreeNumber<Fit>> numbers, const Fit& fit) {
    std::string reached;
    for (const FreeNumber<Fit>& number : numbers) {
        const double part = BoundedScale(number.least, number.most).partOf(number.get(fit));
        if ((part < kAtBound && !number.leastIsLaw) || (part > 1 - kAtBound && !number.mostIsLaw)) {
            reached += (reached.empty() ? "" : ", ") + std::string(number.key);
        }
    }
    return reached;
}

/// What a search changed, in the units of the keys.
template <class Fit>
std::vector<NumberChange> changesOf(std::span<const FreeNumber<Fit>> numbers,
                                    const Fit& before,
                                    const Fit& now) {
    constexpr double kMicrosPerSecond = 1e6;
    std::vector<NumberChange> changes;
    for (const FreeNumber<Fit>& number : numbers) {
        const double unit = number.key.ends_with("_us") ? kMicrosPerSecond : 1.0;
        changes.push_back({.name = std::string(number.key),
                           .before = shortNumber(unit * number.get(before)),
                           .now = shortNumber(unit * number.get(now))});
    }
    return changes;
}

/// The fit near `start` with the least mean error; `error` is of a whole fit. Three searches: from
/// the start, and from two places on either side of it.
template <class Fit, class MeanError>
Result<Fit> searchFit(std::span<const FreeNumber<Fit>> numbers,
                      const Fit& start,
                      const MeanError& error,
                      const SearchLimits& limits) {
    const auto fitAt = [&](std::span<const double> at) {
        Fit fit = start;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i].set(fit, BoundedScale(numbers[i].least, numbers[i].most).inside(at[i]));
        }
        return fit;
    };
    const Objective objective = [&](std::span<const double> at) {
        const Fit fit = fitAt(at);
        return error(fit) + priorOf(numbers, fit);
    };
    constexpr std::array kAside = {0.0, 0.7, -0.7};
    SearchResult best;
    for (const double aside : kAside) {
        std::vector<double> from;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const BoundedScale scale(numbers[i].least, numbers[i].most);
            from.push_back(scale.outside(numbers[i].get(start)) + (i % 2 == 0 ? aside : -aside));
        }
        SearchResult found = minimise(objective, from, limits);
        // A simplex that has collapsed gets a second life around what it found.
        found = minimise(objective, found.at, limits);
        if (best.at.empty() || found.value < best.value) {
            best = std::move(found);
        }
    }
    const Fit fit = fitAt(best.at);
    if (const std::string reached = boundReached(numbers, fit); !reached.empty()) {
        return fail(Error::Code::BadInput,
                    reached,
                    "ended at a bound: these measurements do not say what it is",
                    "add shapes of other sizes, or leave this type out");
    }
    return fit;
}

}  // namespace fabricast
