#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// Generous, for any usual font of that size.
double roughTextWidth(std::string_view words, double textSize);
/// At most so wide; what is left out becomes an ellipsis.
std::string shortened(std::string_view words, double width, double textSize);

}  // namespace fabricast
