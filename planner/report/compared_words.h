#pragma once
#include "planner/base/quantity_text.h"

#include <cmath>
#include <string>

namespace fabricast {

/// By how much something is more than another: "8.4 % more", "8.4 % less", or "the same" where the
/// number would be 0.0 %.
inline std::string comparedText(double more) {
    const std::string size = percentText(std::abs(more));
    return size == percentText(0.0) ? "the same" : size + (more < 0.0 ? " less" : " more");
}

/// "8.4 % more than the forecast", "the same as the forecast".
inline std::string comparedText(double more, const std::string& other) {
    const std::string words = comparedText(more);
    return words + (words == "the same" ? " as " : " than ") + other;
}

}  // namespace fabricast
