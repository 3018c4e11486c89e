#include "planner/report/cost_report.h"
#include "planner/report/durations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace fabricast {
namespace {

struct TimeUnit {
    double below;  ///< seconds
    double size;
    std::string_view name;
};
constexpr std::array kTimeUnits = {TimeUnit{1.0, 1e-3, "ms"},
                                   TimeUnit{120.0, 1.0, "s"},
                                   TimeUnit{2 * kHour, 60.0, "min"},
                                   TimeUnit{2 * kDay, kHour, "h"},
                                   TimeUnit{std::numeric_limits<double>::infinity(), kDay, "days"}};

const TimeUnit& timeUnitOf(Seconds time) {
    return *std::ranges::find_if(kTimeUnits, [time](const TimeUnit& unit) {
        return time.count() < unit.below || std::isinf(unit.below);
    });
}

std::string timeIn(Seconds time, const TimeUnit& unit) {
    return amountText(time.count() / unit.size);
}

}  // namespace

std::string durationText(Seconds time) {
    if (std::isinf(time.count())) {
        return "never";
    }
    const TimeUnit& unit = timeUnitOf(time);
    return timeIn(time, unit) + " " + std::string(unit.name);
}

RunUnit runUnitOf(Seconds time) {
    constexpr double kMinute = 60.0;
    return time.count() >= kDay    ? RunUnit{}
           : time.count() >= kHour ? RunUnit{.seconds = kHour, .name = "h"}
                                   : RunUnit{.seconds = kMinute, .name = "min"};
}

std::string runText(Seconds time) {
    if (std::isinf(time.count())) {
        return "never";
    }
    const RunUnit unit = runUnitOf(time);
    const std::string number = amountText(time.count() / unit.seconds);
    return number + " " + (number == "1" && unit.seconds == kDay ? "day" : unit.name);
}

std::string runRange(Seconds low, Seconds high, Seconds like) {
    if (std::isinf(high.count())) {
        return runText(low) + " – " + runText(high);
    }
    const RunUnit unit = runUnitOf(like);
    const std::string from = amountText(low.count() / unit.seconds);
    const std::string to = amountText(high.count() / unit.seconds);
    return from == to ? "" : from + " – " + to + " " + unit.name;
}

std::string durationRange(Seconds low, Seconds high, Seconds like) {
    if (std::isinf(high.count())) {
        return durationText(low) + " – " + durationText(high);
    }
    const TimeUnit& unit = timeUnitOf(like);
    const std::string from = timeIn(low, unit);
    const std::string to = timeIn(high, unit);
    return from == to ? "" : from + " – " + to + " " + std::string(unit.name);
}

}  // namespace fabricast
