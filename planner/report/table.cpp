#include "planner/report/table.h"

#include "planner/report/markup.h"
#include "planner/text/utf8_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace fabricast {
namespace {

std::vector<std::size_t> columnWidths(const Table& table) {
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) {
        widths.push_back(table.isList ? 0 : textWidth(column.title));
    }
    for (const auto& row : table.rows) {
        for (std::size_t column = 0; column < std::min(row.size(), widths.size()); ++column) {
            widths[column] = std::max(widths[column], textWidth(row[column]));
        }
    }
    return widths;
}

std::string padded(std::string_view text, std::size_t width, Align align) {
    const std::string space(width - std::min(width, textWidth(text)), ' ');
    return align == Align::Right ? space + std::string(text) : std::string(text) + space;
}

std::string alignedLine(const std::vector<std::string>& cells,
                        const Table& table,
                        const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        line += (column == 0 ? "" : "  ") +
                padded(cells[column], widths[column], table.columns[column].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

/// A cell stays one: no bar ends it, and nothing in it is a tag or a link.
std::string markdownCell(std::string_view typed) {
    std::string cell;
    for (const char letter : utf8Text(typed)) {
        if (letter == '|') {
            cell += "\\|";
        } else {
            cell += letter == '\n' || letter == '\r' ? ' ' : letter;
        }
    }
    return markdownEscaped(cell);
}

std::string markdownLine(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) {
        line += " " + markdownCell(cell) + " |";
    }
    return line + "\n";
}

std::string csvCell(std::string_view typed) {
    const std::string text = utf8Text(typed);
    if (text.find_first_of("\",\n\r") == std::string_view::npos) {
        return text;
    }
    std::string cell = "\"";
    for (const char letter : text) {
        cell += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return cell + "\"";
}

std::string csvLine(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column) {
        line += (column == 0 ? "" : ",") + csvCell(cells[column]);
    }
    return line + "\n";
}

std::vector<std::string> titles(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) {
        names.push_back(column.title);
    }
    return names;
}

}  // namespace

std::string alignedText(const Table& table) {
    const std::vector<std::size_t> widths = columnWidths(table);
    std::string text = table.isList ? "" : alignedLine(titles(table), table, widths);
    for (const auto& row : table.rows) {
        text += alignedLine(row, table, widths);
    }
    return text;
}

std::string markdownText(const Table& table) {
    std::vector<std::string> rule;
    for (const Column& column : table.columns) {
        rule.emplace_back(column.align == Align::Right ? "---:" : "---");
    }
    std::string text = markdownLine(titles(table)) + markdownLine(rule);
    for (const auto& row : table.rows) {
        text += markdownLine(row);
    }
    return text;
}

std::string csvText(const Table& table) {
    std::string text = csvLine(titles(table));
    for (const auto& row : table.rows) {
        text += csvLine(row);
    }
    return text;
}

std::string tableText(const Table& table, Format format) {
    switch (format) {
        case Format::Csv:
            return csvText(table);
        case Format::Markdown:
            return markdownText(table);
        case Format::Text:
        case Format::Json:
            break;
    }
    return alignedText(table);
}

std::size_t textWidth(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
    }));
}

}  // namespace fabricast
