#include "planner/report/duration_text.h"

#include "planner/report/cost_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace fabricast {
std::string durationText(Seconds time) {
    struct Unit {
        double below;  ///< seconds
        double size;
        std::string_view name;
    };
    constexpr std::array kUnits = {Unit{1.0, 1e-3, "ms"},
                                   Unit{120.0, 1.0, "s"},
                                   Unit{2 * kHour, 60.0, "min"},
                                   Unit{2 * kDay, kHour, "h"}};
    if (std::isinf(time.count())) {
        return "never";
    }
    for (const Unit& unit : kUnits) {
        if (time.count() < unit.below) {
            return fmt::format("{:.3g} {}", time.count() / unit.size, unit.name);
        }
    }
    return amountText(time.count() / kDay) + " d";
}

}  // namespace fabricast
