#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace fabricast {

/// One value of an enumeration as it is typed and printed.
template <class T>
struct Named {
    T value;
    std::string_view name;
};

// An enumeration has a function `namesOf(Enum)` next to it, which returns an array of `Named`.

template <class T>
constexpr std::string_view nameOf(T value) {
    for (const auto& entry : namesOf(value)) {
        if (entry.value == value) {
            return entry.name;
        }
    }
    return "unknown";
}

/// Whether two names are equal except for hyphens and underscores: "zb-v" and "zbv" are "zb_v".
constexpr bool sameName(std::string_view a, std::string_view b) {
    const auto skip = [](std::string_view text, std::size_t at) {
        while (at < text.size() && (text[at] == '-' || text[at] == '_')) {
            ++at;
        }
        return at;
    };
    std::size_t i = skip(a, 0);
    std::size_t j = skip(b, 0);
    while (i < a.size() && j < b.size() && a[i] == b[j]) {
        i = skip(a, i + 1);
        j = skip(b, j + 1);
    }
    return i >= a.size() && j >= b.size();
}

template <class T>
constexpr std::optional<T> fromName(std::string_view name) {
    for (const auto& entry : namesOf(T{})) {
        if (sameName(entry.name, name)) {
            return entry.value;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
