#pragma once
#include "planner/base/units.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

// Sizes within a log whose letters are small and whose blanks are left out (unwrappedLog). Words
// that are looked for are written with their blanks.

/// Digits of a number that a line may have cut.
inline constexpr std::string_view kCutFigures = "0123456789.\n";

/// Words as they stand in a log without blanks.
std::string squeezed(std::string_view words);
std::size_t placeOf(std::string_view text, std::string_view words);
bool isThere(std::string_view text, std::string_view words);

/// The number at the front of a text, which a line may have cut.
std::optional<double> numberAtFront(std::string_view text);
/// The size at the front of a text: "79.15gib", "38922.1" where a unit is given. A number that a
/// line ends in goes on in the next one, but for a date or a time that stands there.
std::optional<Bytes> sizeAtFront(std::string_view text, std::string_view unit = {});
std::optional<Bytes> sizeAfter(std::string_view text,
                               std::string_view words,
                               std::string_view unit = {});

inline constexpr std::size_t kMostSize = 24;  ///< letters of a number and its unit

/// The size that ends right before a place: "1.06gib" of "1.06gibfree".
std::optional<Bytes> sizeEndingAt(std::string_view text, std::size_t at);
/// The size that stands right before the words: "1.06 gib free".
std::optional<Bytes> sizeBefore(std::string_view text, std::string_view words);

std::optional<Bytes> firstOf(std::initializer_list<std::optional<Bytes>> sizes);

}  // namespace fabricast
