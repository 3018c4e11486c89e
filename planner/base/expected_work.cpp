#include "planner/base/expected_work.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// As much as is known: "12 s", "3 min", "20 h".
std::string roughTime(double seconds) {
    constexpr double kMinute = 60.0;
    constexpr double kHour = 60.0 * kMinute;
    const bool isHours = seconds >= 2.0 * kHour;
    const bool isMinutes = seconds >= 2.0 * kMinute;
    const double unit = isHours ? kHour : isMinutes ? kMinute : 1.0;
    constexpr double kMost = 1e15;
    return std::to_string(std::llround(std::min(seconds / unit, kMost))) + (isHours     ? " h"
                                                                            : isMinutes ? " min"
                                                                                        : " s");
}

}  // namespace

Result<void> checkWork(const ExpectedWork& work, const Watch& watch) {
    if (watch.mayTakeLong || work.seconds <= kQuickSeconds) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                work.where,
                work.what + " would take about " +
                    roughTime(std::max(work.seconds, kQuickSeconds + 1)) +
                    " of CPU time, more than the " + roughTime(kQuickSeconds) +
                    " that an answer takes without --long",
                (work.less.empty() ? "" : work.less + ", or ") + "--long");
}

std::int64_t quickPart(std::int64_t count, double seconds) {
    if (seconds <= kQuickSeconds) {
        return count;
    }
    const double quick = std::floor(static_cast<double>(count) * kQuickSeconds / seconds);
    double digits = 1.0;
    while (quick / digits >= 100.0) {
        digits *= 10.0;
    }
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(std::floor(quick / digits) * digits));
}

}  // namespace fabricast
