#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace fabricast {

/// The middle one of some values, or the mean of the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    // Not their sum, which may be too large for a double.
    return values.size() % 2 == 1 ? values[half]
                                  : values[half - 1] + (values[half] - values[half - 1]) / 2;
}

}  // namespace fabricast
