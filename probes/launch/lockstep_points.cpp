#include "probes/launch/launchers.h"

namespace fabricast::probe {

namespace {

/// No point has this text.
constexpr const char* kThatWasAll = "";

Answer<Measurement> measured(ControlChannel& channel,
                             const Point& point,
                             const MeasureInLockstep& measure) {
    Answer<Measurement> measurement = measure(point);
    if (!measurement) {
        return channel.fail(measurement.trouble().why);
    }
    return measurement;
}

}  // namespace

Answer<Measurement> leadPoint(ControlChannel& channel,
                              const Point& point,
                              const MeasureInLockstep& measure) {
    const Answer<std::string> told = channel.broadcast(textOf(point));
    return told ? measured(channel, point, measure) : Answer<Measurement>(told.trouble());
}

Done followPoints(ControlChannel& channel, const MeasureInLockstep& measure) {
    while (true) {
        const Answer<std::string> text = channel.broadcast("");
        if (!text) {
            return text.trouble();
        }
        if (*text == kThatWasAll) {
            return std::monostate();
        }
        const Answer<Point> point = parsePoint(*text);
        if (!point) {
            return channel.fail(point.trouble().why);
        }
        const Answer<Measurement> measurement = measured(channel, *point, measure);
        if (!measurement) {
            return measurement.trouble();
        }
    }
}

void endPoints(ControlChannel& channel) {
    // Who does not hear it hears that rank 0 hangs up.
    (void)channel.broadcast(kThatWasAll);
}

}  // namespace fabricast::probe
