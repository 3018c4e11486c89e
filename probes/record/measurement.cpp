#include "probes/record/json_line.h"
#include "probes/record/statistics.h"

#include <cstddef>

namespace fabricast::probe {

namespace {

/// What a reader of records takes in a line, with room for the rest.
constexpr std::size_t kMostListed = 100'000;

/// Of very many every second, third, …
std::vector<double> listed(const std::vector<double>& samples) {
    if (samples.size() <= kMostListed) {
        return samples;
    }
    const std::size_t step = (samples.size() + kMostListed - 1) / kMostListed;
    std::vector<double> some;
    for (std::size_t at = 0; at < samples.size(); at += step) {
        some.push_back(samples[at]);
    }
    return some;
}

}  // namespace

std::string lineOf(const Measurement& measurement) {
    JsonLine line;
    line.add("point", textOf(measurement.point));
    if (!measurement.refused.empty()) {
        const std::string why = measurement.failed ? std::string(kFailed) : "";
        return line.add("refused", why + measurement.refused).text();
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
    return line.add("samples", listed(measurement.samples)).text();
}

}  // namespace fabricast::probe
