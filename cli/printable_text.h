#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// Text that a terminal may be shown: what a user or a file put in, but no control characters
/// (they could move the cursor or hide a line) and no bytes that are not UTF-8; both are written
/// as \x1b. Line ends and tabs stay.
std::string printableText(std::string_view text);

}  // namespace fabricast
