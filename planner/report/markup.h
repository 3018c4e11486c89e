#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// This turns the lines of a report's prose into elements by their form, the same in all reports:
///     FITS  38.19 GiB of 79.19 GiB  backward of layer 0      a heading with its verdict
///       llama-3.1-70b on 4 x dgx-h100                        what belongs to the line above
///     assumed: sequence 4096                                 a note with its key
///     next: fabricast explain -m llama-3.1-70b               a command to type
class HtmlProse {
public:
    /// The elements of these lines.
    std::string of(std::string_view prose);
    /// The text of the first heading; empty where there was none.
    [[nodiscard]] const std::string& heading() const { return heading_; }

private:
    std::string head(std::string_view line);

    std::string heading_;
};

/// Escaped; a list of keys ("tp=8,pp=4") may be broken behind its commas, and nowhere else.
std::string breakableText(std::string_view text);

/// Takes the line off that stands directly before a table; empty where it says something else.
std::string takeCaption(std::string& prose);

/// A finished Markdown text in which names that users and files put in are words, and no HTML,
/// links or pictures: a "<" that begins a tag is written "&lt;", the "(" behind "]" gets a
/// backslash. Code stays as it is, where they are nothing else anyway, and so do the tags that
/// reports themselves write (kOwnTags). What is escaped is not escaped again.
///     markdownEscaped("| <img src=x> |")  // | &lt;img src=x> |
std::string markdownEscaped(std::string_view text);

/// A text between the tags of XML, HTML or SVG, or in an attribute: ends of lines become spaces,
/// and what a terminal is not shown is not shown here.
std::string xmlEscaped(std::string_view text);

}  // namespace fabricast
