#pragma once
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This reads lists of bare numbers: tables whose keys name the unit ("latency_us").
///     FABRICAST_ASSIGN(const auto row, (readNumbers<3>(*value, {0, 1e6})));
struct NumberRange {
    double least = 0.0;
    double most = 0.0;
};

inline Result<std::vector<double>> readNumberList(const JsonValue& value,
                                                  NumberRange range,
                                                  std::size_t most) {
    FABRICAST_TRY(value.expect(JsonValue::Kind::Array));
    if (value.items().size() > most) {
        return tl::unexpected(value.problem("has more than " + std::to_string(most) + " numbers"));
    }
    std::vector<double> numbers;
    for (const JsonValue& item : value.items()) {
        FABRICAST_ASSIGN(const double number, item.number(range.least, range.most));
        numbers.push_back(number);
    }
    return numbers;
}

template <std::size_t N>
Result<std::array<double, N>> readNumbers(const JsonValue& value, NumberRange range) {
    FABRICAST_ASSIGN(const std::vector<double> list, readNumberList(value, range, N));
    if (list.size() != N) {
        return tl::unexpected(value.problem("has " + std::to_string(list.size()) +
                                            " numbers, not " + std::to_string(N)));
    }
    std::array<double, N> numbers{};
    std::copy(list.begin(), list.end(), numbers.begin());
    return numbers;
}

template <std::size_t N>
Result<std::array<double, N>> requireNumbers(const JsonValue& object,
                                             std::string_view key,
                                             NumberRange range) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require(key));
    return readNumbers<N>(*value, range);
}

inline Result<double> requireNumber(const JsonValue& object,
                                    std::string_view key,
                                    NumberRange range) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require(key));
    return value->number(range.least, range.most);
}

}  // namespace fabricast
