#include "planner/measured/measurements.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace fabricast {
namespace {

constexpr double kOfMultiplyAndAdd = 2.0;
/// Of attention: scores and their values; backward also their three gradients, and the scores anew.
constexpr double kForwardProducts = 2.0;
constexpr double kBackwardProducts = 5.0;
constexpr std::array<std::string_view, 4> kOfOneProduct = {"gemm", "plain", "sustained", "overlap"};

bool hasAll(const RecordedPoint& point, std::initializer_list<const char*> names) {
    return std::ranges::all_of(names,
                               [&](const char* name) { return point.settings.contains(name); });
}

Result<double> productOf(const RecordedPoint& point, std::initializer_list<const char*> names) {
    double product = 1.0;
    for (const char* name : names) {
        FABRICAST_ASSIGN(const std::int64_t size, wholeSetting(point, name, 1));
        product *= static_cast<double>(size);
    }
    return product;
}

/// Each expert has as many rows as the one with the most.
Result<double> ofExperts(const RecordedPoint& point) {
    FABRICAST_ASSIGN(const std::int64_t tokens, wholeSetting(point, "tokens", 1));
    FABRICAST_ASSIGN(const std::int64_t experts, wholeSetting(point, "experts", 1));
    FABRICAST_ASSIGN(const double ofRow, productOf(point, {"n", "k"}));
    const std::int64_t most = tokens / experts + (tokens % experts == 0 ? 0 : 1);
    return kOfMultiplyAndAdd * static_cast<double>(most) * static_cast<double>(experts) * ofRow;
}

Result<double> ofAttention(const RecordedPoint& point) {
    FABRICAST_ASSIGN(const std::int64_t sequence, wholeSetting(point, "sequence", 1));
    FABRICAST_ASSIGN(const double ofPair, productOf(point, {"batch", "heads", "dim"}));
    const auto tokens = static_cast<double>(sequence);
    const bool isCausal = point.setting("causal", "") != "0";
    const double pairs = isCausal ? tokens * (tokens + 1.0) / 2.0 : tokens * tokens;
    const bool isBackward = point.setting("pass", "") == "backward";
    return (isBackward ? kBackwardProducts : kForwardProducts) * kOfMultiplyAndAdd * ofPair * pairs;
}

}  // namespace

Result<double> namedFlop(const RecordedPoint& point) {
    if (point.what == "grouped_gemm" && hasAll(point, {"tokens", "experts", "n", "k"})) {
        return ofExperts(point);
    }
    if (point.what == "attention" &&
        hasAll(point, {"batch", "heads", "dim", "sequence", "causal", "pass"})) {
        return ofAttention(point);
    }
    const bool isProduct = std::ranges::find(kOfOneProduct, point.what) != kOfOneProduct.end();
    if (isProduct && hasAll(point, {"m", "n", "k"})) {
        FABRICAST_ASSIGN(const double cells, productOf(point, {"m", "n", "k"}));
        return kOfMultiplyAndAdd * cells;
    }
    return 0.0;
}

}  // namespace fabricast
