#pragma once
#include "planner/base/enum_names.h"
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"
#include "planner/text/json_document.h"

#include <string>
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

}  // namespace fabricast
