#include "probes/record/run_points.h"

#include "probes/record/end_in_mid_point.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fabricast::probe {

namespace {

using Clock = std::chrono::steady_clock;

/// No clock counts a run without end.
Clock::time_point endOf(Clock::time_point begin, double seconds) {
    constexpr double kYear = 365.0 * 24 * 3600;
    return seconds > kYear ? Clock::time_point::max()
                           : begin + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(seconds));
}

void count(const Measurement& measurement, RunOutcome& outcome) {
    ++(measurement.failed            ? outcome.failed
       : measurement.refused.empty() ? outcome.measured
                                     : outcome.refused);
    outcome.wrong += measurement.isWrong() ? 1U : 0U;
}

/// With what a point's own trouble makes of it. Nobody waits for a point longer than is said.
Answer<Measurement> measureOne(const Point& point,
                               const std::function<Answer<Measurement>(const Point&)>& measure,
                               const RunOutcome& outcome,
                               Clock::time_point time,
                               RecordFile& record,
                               const RunWatch& watch) {
    // A sitting in which no point ends would never get on.
    const bool isFirst = outcome.measured + outcome.refused + outcome.failed == 0;
    EndInMidPoint::Rule rule{.time = isFirst ? Clock::time_point::max() : time,
                             .endsInTime = watch.endsInTime};
    if (watch.endsInMidPoint) {
        rule.lastWords = [&] {
            record.letGo();
            RunOutcome sofar = outcome;
            sofar.interrupted = !isTimeUp();
            return watch.endsInMidPoint(sofar);
        };
    }
    const EndInMidPoint end(std::move(rule));
    Answer<Measurement> measurement = measure(point);
    if (!measurement && watch.survives && watch.survives()) {
        measurement =
            Measurement{.point = point, .refused = measurement.trouble().why, .failed = true};
    }
    return measurement;
}

}  // namespace

Answer<RunOutcome> runPoints(std::span<const Point> points,
                             const std::function<Answer<Measurement>(const Point&)>& measure,
                             double seconds,
                             RecordFile& record,
                             const RunWatch& watch) {
    RunOutcome outcome;
    std::vector<Point> open;
    for (const Point& point : points) {
        if (record.has(point)) {
            ++outcome.known;
        } else {
            open.push_back(point);
        }
    }
    setTimeUp(false);
    const Clock::time_point begin = Clock::now();
    for (std::size_t number = 0; number < open.size(); ++number) {
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        outcome.left = open.size() - number;
        if (interrupted() || passed >= seconds) {
            break;
        }
        const double each = number == 0 ? 0.0 : passed / static_cast<double>(number);
        if (watch.begins) {
            watch.begins(open[number],
                         number + 1,
                         open.size(),
                         std::min(each * static_cast<double>(outcome.left), seconds - passed));
        }
        const Answer<Measurement> measurement =
            measureOne(open[number], measure, outcome, endOf(begin, seconds), record, watch);
        if (!measurement) {
            return Trouble{textOf(open[number]) + ": " + measurement.trouble().why};
        }
        if (interrupted() && measurement->samples.empty() && measurement->refused.empty()) {
            break;
        }
        const Done kept = record.add(*measurement);
        if (!kept) {
            return kept.trouble();
        }
        count(*measurement, outcome);
        outcome.left = open.size() - number - 1;
        if (watch.ends) {
            watch.ends(*measurement);
        }
    }
    outcome.interrupted = interrupted() && !isTimeUp();
    return outcome;
}

}  // namespace fabricast::probe
