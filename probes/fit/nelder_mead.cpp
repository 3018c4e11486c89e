#include "probes/fit/nelder_mead.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

// Nelder and Mead's own coefficients.
constexpr double kReflect = 1.0;
constexpr double kExpand = 2.0;
constexpr double kContract = 0.5;
constexpr double kShrink = 0.5;

class Simplex {
public:
    Simplex(const Objective& objective, const std::vector<double>& start, double step)
        : objective_(objective) {
        corners_.push_back(evaluated(start));
        for (std::size_t axis = 0; axis < start.size(); ++axis) {
            std::vector<double> corner = start;
            corner[axis] += step;
            corners_.push_back(evaluated(std::move(corner)));
        }
        sort();
    }

    void move() {
        const std::vector<double> centre = centreOfBest();
        const SearchResult reflected = along(centre, kReflect);
        if (reflected.value < corners_.front().value) {
            const SearchResult expanded = along(centre, kExpand);
            corners_.back() = expanded.value < reflected.value ? expanded : reflected;
        } else if (reflected.value < corners_[corners_.size() - 2].value) {
            corners_.back() = reflected;
        } else {
            contract(centre, reflected);
        }
        sort();
    }

    [[nodiscard]] double spread() const { return corners_.back().value - corners_.front().value; }
    [[nodiscard]] const SearchResult& best() const { return corners_.front(); }
    [[nodiscard]] int evaluations() const { return evaluations_; }

private:
    SearchResult evaluated(std::vector<double> at) {
        ++evaluations_;
        const double value = objective_(at);
        return {std::move(at), value};
    }

    void sort() { std::ranges::stable_sort(corners_, {}, &SearchResult::value); }

    [[nodiscard]] std::vector<double> centreOfBest() const {
        std::vector<double> centre(corners_.front().at.size(), 0.0);
        for (std::size_t corner = 0; corner + 1 < corners_.size(); ++corner) {
            for (std::size_t axis = 0; axis < centre.size(); ++axis) {
                centre[axis] += corners_[corner].at[axis] / static_cast<double>(centre.size());
            }
        }
        return centre;
    }

    /// From the centre away from the worst corner.
    SearchResult along(const std::vector<double>& centre, double distance) {
        std::vector<double> at = centre;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            at[axis] += distance * (centre[axis] - corners_.back().at[axis]);
        }
        return evaluated(std::move(at));
    }

    void contract(const std::vector<double>& centre, const SearchResult& reflected) {
        const bool outside = reflected.value < corners_.back().value;
        SearchResult contracted = along(centre, outside ? kContract : -kContract);
        if (contracted.value < std::min(reflected.value, corners_.back().value)) {
            corners_.back() = std::move(contracted);
            return;
        }
        const std::vector<double> best = corners_.front().at;
        for (std::size_t corner = 1; corner < corners_.size(); ++corner) {
            std::vector<double> at = corners_[corner].at;
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                at[axis] = best[axis] + kShrink * (at[axis] - best[axis]);
            }
            corners_[corner] = evaluated(std::move(at));
        }
    }

    const Objective& objective_;
    std::vector<SearchResult> corners_;
    int evaluations_ = 0;
};

}  // namespace

SearchResult minimise(const Objective& objective,
                      const std::vector<double>& start,
                      const SearchLimits& limits) {
    Simplex simplex(objective, start, limits.step);
    while (simplex.evaluations() < limits.evaluations && simplex.spread() > limits.tolerance) {
        simplex.move();
    }
    return simplex.best();
}

}  // namespace fabricast
