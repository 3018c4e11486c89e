#pragma once
#include "planner/base/enum_names.h"
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

template <class Enum>
std::vector<std::string_view> allNames() {
    std::vector<std::string_view> names;
    for (const auto& entry : namesOf(Enum{})) {
        names.push_back(entry.name);
    }
    return names;
}

/// "none|full|block".
template <class Enum>
std::string joinedNames() {
    std::string names;
    for (const auto& entry : namesOf(Enum{})) {
        names.append(names.empty() ? "" : "|").append(entry.name);
    }
    return names;
}

/// A value of an enumeration by its name; another word is an error with the nearest name.
///     FABRICAST_ASSIGN(layout.shard, readEnum<Shard>(*value));
template <class Enum>
Result<Enum> readEnum(const JsonValue& value) {
    FABRICAST_ASSIGN(const std::string name, value.text());
    if (const auto found = fromName<Enum>(name)) {
        return *found;
    }
    return tl::unexpected(
        value.problem("cannot be " + value.shown(), suggestName(name, allNames<Enum>())));
}

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
