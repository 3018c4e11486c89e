#pragma once
#include "planner/base/grouped.h"
#include "planner/report/format.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This is a table before it is text: the same rows become aligned text, Markdown or CSV.
///     Table table{{{"part"}, {"bytes", Align::Right}}, {}};
///     table.rows.push_back({"weights", grouped(count)});
///     const std::string text = alignedText(table);
enum class Align { Left, Right };
struct Column {
    std::string title;
    Align align = Align::Left;
};
struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
    bool isList = false;  ///< aligned text has no line of titles
};

/// Two spaces between columns, no trailing spaces, each line ending in a newline.
std::string alignedText(const Table& table);
std::string markdownText(const Table& table);
/// As in RFC 4180, but with plain newlines.
std::string csvText(const Table& table);
/// One of these; aligned where the format is not one of a table.
std::string tableText(const Table& table, Format format);

/// How many columns a terminal needs for it: UTF-8 sequences count once.
std::size_t textWidth(std::string_view text);

}  // namespace fabricast
