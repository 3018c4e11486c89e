#pragma once
#include <functional>
#include <span>
#include <vector>

namespace fabricast {

using Objective = std::function<double(std::span<const double>)>;

struct SearchLimits {
    int evaluations = 2000;
    double tolerance = 1e-7;  ///< between the best and the worst corner of the simplex
    double step = 0.5;        ///< of the first simplex
};

struct SearchResult {
    std::vector<double> at;
    double value = 0.0;
};

/// Nelder and Mead's simplex search for a minimum near `start`: no derivatives, no chance.
SearchResult minimise(const Objective& objective,
                      const std::vector<double>& start,
                      const SearchLimits& limits);

}  // namespace fabricast
