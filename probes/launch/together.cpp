#include "probes/launch/together.h"

namespace fabricast::probe {

namespace {

/// No point has this text.
constexpr const char* kThatWasAll = "";

Answer<Measurement> measured(Star& star, const Point& point, const MeasureTogether& measure) {
    Answer<Measurement> measurement = measure(point);
    if (!measurement) {
        return star.fail(measurement.trouble().why);
    }
    return measurement;
}

}  // namespace

Answer<Measurement> leadPoint(Star& star, const Point& point, const MeasureTogether& measure) {
    const Answer<std::string> told = star.broadcast(textOf(point));
    return told ? measured(star, point, measure) : Answer<Measurement>(told.trouble());
}

Done followPoints(Star& star, const MeasureTogether& measure) {
    while (true) {
        const Answer<std::string> text = star.broadcast("");
        if (!text) {
            return text.trouble();
        }
        if (*text == kThatWasAll) {
            return std::monostate();
        }
        const Answer<Point> point = parsePoint(*text);
        if (!point) {
            return star.fail(point.trouble().why);
        }
        const Answer<Measurement> measurement = measured(star, *point, measure);
        if (!measurement) {
            return measurement.trouble();
        }
    }
}

void endPoints(Star& star) {
    // Who does not hear it hears that rank 0 hangs up.
    (void)star.broadcast(kThatWasAll);
}

}  // namespace fabricast::probe
