#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// One number of a profile that was measured, as a person compares it with what stood there.
struct NumberChange {
    std::string name;        ///< "pcie.host_bandwidth"
    std::size_t points = 0;  ///< that it comes from
    double spread = 0.0;     ///< how far they usually lie from it, as a share; below 0: unknown
    std::string before;      ///< "unknown", where nobody had said
    std::string now;
};

/// A table: a row for each, under a line of headings.
std::string changeTable(const std::vector<NumberChange>& changes);

/// The same in a sentence, without points: "efficiency 0.71 -> 0.75, launch_us 3.1 -> 2.9"; those
/// that stayed are not named.
std::string changeSentence(const std::vector<NumberChange>& changes);

/// Three significant digits: "0.0713".
std::string shortNumber(double value);

/// Of values above 0: the one in the middle, and how far the others usually lie from it.
struct MiddleValue {
    double value = 0.0;
    double spread = 0.0;  ///< the median of the distances, as a share of the value
};
MiddleValue middleOf(std::vector<double> values);

}  // namespace fabricast
