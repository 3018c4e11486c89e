#pragma once

namespace fabricast {

enum class Format { Text, Json, Csv, Markdown };
/// What an answer for people, which is Format::Text to a command, is written as.
enum class PageKind { None, Html, Pdf };

}  // namespace fabricast
