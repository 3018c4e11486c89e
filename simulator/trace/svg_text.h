#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// Hundredths of a pixel as a number: "12.5", the same in every locale.
std::string svgNumber(std::int64_t hundredths);

/// A label of a class at a place in pixels; `more`: further attributes.
std::string svgLabel(std::int64_t x,
                     std::int64_t y,
                     std::string_view text,
                     std::string_view style,
                     std::string_view more = {});

}  // namespace fabricast
