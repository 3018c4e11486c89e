#pragma once
#include <span>
#include <string>
#include <vector>

namespace fabricast::probe {

/// What a row of a memory operation has to work with.
struct ReferenceRow {
    std::vector<double> from;
    std::vector<double> other;     ///< the other addend, or the norm's weights
    std::span<const float> turns;  ///< rope: cosine and sine of each pair of a head
    int place = 0;                 ///< cross entropy: the right number
    double epsilon = 0.0;
};

/// The row that a memory operation makes, by its textbook formula in double precision.
std::vector<double> memoryReference(const std::string& op, const ReferenceRow& row);

}  // namespace fabricast::probe
