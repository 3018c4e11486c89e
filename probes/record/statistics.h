#pragma once
#include "probes/record/point.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// The value in the middle; of an even number, the mean of the two there. Not for no values.
double median(std::vector<double> values);

/// The value below which this share (0 to 1) of the values lies, straight between neighbours.
double quantile(std::vector<double> values, double share);

/// How far the values lie from their median: the median of the distances. An outlier hardly moves
/// it.
double medianDeviation(const std::vector<double>& values);

/// How well the median is known, as a share of it: its standard error were the values normal, from
/// the span of their middle half. 0 of fewer than two.
double medianError(const std::vector<double>& values);

/// What measuring a point gave: every sample, and what else was seen meanwhile.
struct Measurement {
    Point point;
    std::string unit = "s";                    ///< of the samples: "s", "B", "W"
    std::vector<double> samples;               ///< as they came, none left out
    std::map<std::string, double> facts;       ///< "clock_mhz", "power_w", "flop", "bytes", "wrong"
    std::map<std::string, std::string> words;  ///< "algorithm", "throttled"
    std::string refused;  ///< why this machine cannot do it ("no fp8 on sm_80"); no samples then
    bool failed =
        false;  ///< `refused` says what went wrong this time: the next sitting tries again

    /// Computed results that were not what they should be.
    [[nodiscard]] bool isWrong() const {
        const auto wrong = facts.find("wrong");
        return wrong != facts.end() && wrong->second != 0.0;
    }
};

/// How a line gives the reason of a point that failed.
inline constexpr std::string_view kFailed = "failed: ";

/// As a line of a record file, with the samples' number, median and spread. Of more than 100,000
/// samples so many at most are listed, from begin to end.
std::string lineOf(const Measurement& measurement);

}  // namespace fabricast::probe
