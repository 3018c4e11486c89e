#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// Text that a terminal may be shown: what a user or a file put in, but no control characters
/// (they could move the cursor, hide a line or turn its direction) and no bytes that are not UTF-8;
/// both are written as \x1b. Line ends and tabs stay.
std::string printableText(std::string_view text);

/// The same for a name or a message of somebody else within a line: line ends and tabs are written
/// as \x0a and \x09.
std::string printableLine(std::string_view text);

/// A message without the middle of what is far longer than any: names in files may have any length.
std::string shortMessage(std::string_view text);

}  // namespace fabricast
