#include "probes/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricast::probe {

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

double medianDeviation(const std::vector<double>& values) {
    const double middle = median(values);
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double value : values) {
        distances.push_back(std::abs(value - middle));
    }
    return median(std::move(distances));
}

double medianError(const std::vector<double>& values) {
    const double middle = values.empty() ? 0.0 : median(values);
    if (values.size() < 2 || middle == 0.0) {
        return 0.0;
    }
    // The middle half of normal values spans 1.349 deviations; a median's error is 1.2533 of a
    // mean's. Values of two kinds, which the median deviation may miss, count as wide.
    constexpr double kHalf = 1.349;
    constexpr double kMedian = 1.2533;
    const double deviation = (quantile(values, 0.75) - quantile(values, 0.25)) / kHalf;
    return kMedian * deviation / (std::sqrt(static_cast<double>(values.size())) * std::abs(middle));
}

}  // namespace fabricast::probe
