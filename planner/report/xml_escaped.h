#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// A text between the tags of XML, HTML or SVG, or in an attribute. Control characters, which XML
/// has none of, become spaces.
std::string xmlEscaped(std::string_view text);

}  // namespace fabricast
