#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/spec/kernel_profile.h"
#include "planner/text/json_document.h"

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

// A section of a fit is a flat object: numbers without a unit, times in microseconds (their keys
// end in _us), and one source for all of them.

template <class Fit>
struct FitNumber {
    std::string_view key;
    double Fit::*member;
    double least;
    double most;
};

template <class Fit>
struct FitTime {
    std::string_view key;
    Seconds Fit::*member;
};

inline constexpr double kMicrosecond = 1e-6;
/// No kernel is launched, or throttles, later than a second.
inline constexpr double kLongestFitTime = 1e6;
/// What any section may contain in addition to its numbers.
inline constexpr std::array<std::string_view, 6> kSectionKeys = {
    "rows", "mean_error", "p90_error", "source", "from", "note"};

inline Result<double> requireNumber(const JsonValue& section,
                                    std::string_view key,
                                    double least,
                                    double most) {
    FABRICAST_ASSIGN(const JsonValue* const value, section.require(key));
    return value->number(least, most);
}

template <class Fit, std::size_t Numbers, std::size_t Times>
Result<void> onlyFitKeys(const JsonValue& section,
                         const std::array<FitNumber<Fit>, Numbers>& numbers,
                         const std::array<FitTime<Fit>, Times>& times,
                         std::initializer_list<std::string_view> more) {
    std::vector<std::string_view> keys(more);
    keys.insert(keys.end(), kSectionKeys.begin(), kSectionKeys.end());
    for (const FitNumber<Fit>& number : numbers) {
        keys.push_back(number.key);
    }
    for (const FitTime<Fit>& time : times) {
        keys.push_back(time.key);
    }
    return section.onlyKeys(keys);
}

template <class Fit, std::size_t Numbers, std::size_t Times>
Result<void> readFitNumbers(const JsonValue& section,
                            const std::array<FitNumber<Fit>, Numbers>& numbers,
                            const std::array<FitTime<Fit>, Times>& times,
                            Fit& fit) {
    for (const FitNumber<Fit>& number : numbers) {
        FABRICAST_ASSIGN(fit.*number.member,
                         requireNumber(section, number.key, number.least, number.most));
    }
    for (const FitTime<Fit>& time : times) {
        FABRICAST_ASSIGN(const double us, requireNumber(section, time.key, 0, kLongestFitTime));
        fit.*time.member = Seconds(us * kMicrosecond);
    }
    return {};
}

inline Result<FitError> readFitError(const JsonValue& section) {
    constexpr double kMost = 100;
    FitError error;
    FABRICAST_ASSIGN(error.mean, section.numberOr("mean_error", 0.0, 0, kMost));
    FABRICAST_ASSIGN(error.p90, section.numberOr("p90_error", 0.0, 0, kMost));
    return error;
}

/// An array of two.
inline Result<std::pair<const JsonValue*, const JsonValue*>> requirePair(const JsonValue& item) {
    FABRICAST_TRY(item.expect(JsonValue::Kind::Array));
    if (item.items().size() != 2) {
        return tl::unexpected(item.problem("must be a list of two numbers"));
    }
    const JsonValue& first = item.items().front();
    const JsonValue& second = item.items().back();
    return std::pair(&first, &second);
}

}  // namespace fabricast
