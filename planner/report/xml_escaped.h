#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// A text between the tags of XML, HTML or SVG, or in an attribute: ends of lines become spaces,
/// and what a terminal is not shown is not shown here.
std::string xmlEscaped(std::string_view text);

}  // namespace fabricast
