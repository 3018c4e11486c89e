#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// A finished Markdown text in which names that users and files put in are words, and no HTML,
/// links or pictures: a "<" that begins a tag is written "&lt;", the "(" behind "]" gets a
/// backslash. Code stays as it is, where they are nothing else anyway, and so do the tags that
/// reports themselves write (kOwnTags). What is escaped is not escaped again.
///     markdownEscaped("| <img src=x> |")  // | &lt;img src=x> |
std::string markdownEscaped(std::string_view text);

}  // namespace fabricast
