#include "probes/record/run_points.h"
#include "probes/record/statistics.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace fabricast::probe {

namespace {

// Of all points of a process, as its Ctrl-C is.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
double mostSeconds = std::numeric_limits<double>::infinity();

bool isEnough(const SampleRule& rule, const std::vector<double>& samples, double seconds) {
    if (samples.size() < rule.least) {
        return false;
    }
    // A few samples may agree by chance.
    constexpr std::size_t kJudged = 10;
    return samples.size() >= rule.most || seconds >= std::min(rule.seconds, mostSeconds) ||
           (samples.size() >= kJudged && medianError(samples) <= rule.error);
}

}  // namespace

void limitSampling(double seconds) {
    mostSeconds = seconds;
}

Answer<std::vector<double>> sampled(const SampleRule& rule,
                                    int warmUps,
                                    const std::function<Answer<double>()>& once) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<double> samples;
    while (!interrupted()) {
        const Answer<double> sample = once();
        if (!sample) {
            return sample.trouble();
        }
        if (warmUps > 0) {
            --warmUps;
            continue;
        }
        samples.push_back(*sample);
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (isEnough(rule, samples, passed.count())) {
            return samples;
        }
    }
    return samples.size() < rule.least ? std::vector<double>() : samples;
}

}  // namespace fabricast::probe
