#pragma once
#include "probes/record/point.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

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
