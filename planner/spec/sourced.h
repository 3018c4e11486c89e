#pragma once
#include <optional>
#include <string>

namespace fabricast {

enum class Source { Datasheet, Measured, Fitted, Assumed };

/// A hardware number with where it comes from; `value` is empty if not published.
template <class T>
struct Sourced {
    std::optional<T> value;
    Source source = Source::Assumed;
    std::string note;
    std::string from{};     ///< an id of hardware_profiles/sources.json, a title, or a URL
    std::optional<T> lo{};  ///< if sources differ: the smallest and the largest value
    std::optional<T> hi{};

    friend bool operator==(const Sourced&, const Sourced&) = default;
};

}  // namespace fabricast
