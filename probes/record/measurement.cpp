#include "probes/record/measurement.h"

#include "probes/record/json_line.h"
#include "probes/record/statistics.h"

namespace fabricast::probe {

std::string lineOf(const Measurement& measurement) {
    JsonLine line;
    line.add("point", textOf(measurement.point));
    if (!measurement.refused.empty()) {
        return line.add("refused", measurement.refused).text();
    }
    line.add("unit", measurement.unit);
    if (!measurement.samples.empty()) {
        line.add("median", median(measurement.samples))
            .add("deviation", medianDeviation(measurement.samples))
            .add("n", measurement.samples.size());
    }
    if (!measurement.facts.empty()) {
        line.add("facts", measurement.facts);
    }
    if (!measurement.words.empty()) {
        line.add("words", measurement.words);
    }
    return line.add("samples", measurement.samples).text();
}

}  // namespace fabricast::probe
