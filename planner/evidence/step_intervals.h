#pragma once
#include "planner/evidence/comparison_error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace fabricast {

/// Four of five steps forecast on such evidence were measured between `below` and `above` times
/// their forecast.
struct StepInterval {
    double below = 1.0;
    double above = 1.0;
    std::int64_t runs = 0;  ///< that say so
    std::int64_t sources = 0;
};

/// This is how sure a forecast of the step is, by what it rests on: fitted by the backtest, read
/// from hardware_profiles/intervals. Classes are paths, from the coarsest to the finest:
/// "all/torch-eager/dense".
struct StepIntervals {
    std::string title;
    std::string from;  ///< the runs it was fitted to
    std::map<std::string, StepInterval, std::less<>> classes;
    ComparisonError comparison;  ///< of two forecasts

    /// Of the class, or of the nearest above it that there is; nullptr where there is none.
    [[nodiscard]] const StepInterval* of(std::string_view path) const {
        for (;;) {
            if (const auto found = classes.find(path); found != classes.end()) {
                return &found->second;
            }
            const std::size_t slash = path.rfind('/');
            if (slash == std::string_view::npos) {
                return nullptr;
            }
            path = path.substr(0, slash);
        }
    }
};

}  // namespace fabricast
