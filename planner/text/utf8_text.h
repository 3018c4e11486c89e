#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

/// Length of the well-formed UTF-8 sequence at the front, 0 when there is none.
std::size_t utf8Length(std::string_view text);

/// The text with U+FFFD for every byte that is not UTF-8, and for the two code points that no
/// document may hold.
std::string utf8Text(std::string_view text);

}  // namespace fabricast
