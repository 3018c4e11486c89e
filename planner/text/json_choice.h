#pragma once
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace fabricast {

/// The names in files of the values of an enum.
template <class Value, std::size_t Size>
using Choices = std::array<std::pair<std::string_view, Value>, Size>;

/// One of `choices`, or the fallback where the key is absent; anything else is an error that names
/// the nearest.
///     FABRICAST_ASSIGN(model.norm, readChoice(shape, "norm", kNormNames, NormKind::Rms));
template <class Value, std::size_t Size>
Result<Value> readChoice(const JsonValue& object,
                         std::string_view key,
                         const Choices<Value, Size>& choices,
                         Value fallback) {
    const JsonValue* said = object.find(key);
    if (said == nullptr) {
        return fallback;
    }
    FABRICAST_ASSIGN(const std::string text, said->text());
    std::array<std::string_view, Size> names;
    for (std::size_t i = 0; i < Size; ++i) {
        if (choices[i].first == text) {
            return choices[i].second;
        }
        names[i] = choices[i].first;
    }
    return tl::unexpected(
        said->problem("is " + said->shown() + ", which is not known", suggestName(text, names)));
}

}  // namespace fabricast
