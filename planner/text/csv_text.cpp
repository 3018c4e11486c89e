#include "planner/text/csv_text.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::string_view kBlanks = " \t";

class CsvReader {
public:
    CsvReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    /// The cells of the next line that is not empty; none at the end.
    Result<CsvText::Row> next() {
        CsvText::Row row;
        while (takeLineEnd()) {
        }
        if (at_ == text_.size()) {
            return row;
        }
        row.line = line_;
        do {
            FABRICAST_ASSIGN(std::string cell, readCell());
            row.cells.push_back(std::move(cell));
        } while (take(','));
        if (at_ < text_.size() && !takeLineEnd()) {
            return fail(Error::Code::BadInput,
                        place(),
                        "text after a closing quote",
                        "write a quote within the text twice");
        }
        return row;
    }

private:
    [[nodiscard]] std::string place() const { return source_ + ":" + std::to_string(line_); }

    bool take(char expected) {
        if (at_ < text_.size() && text_[at_] == expected) {
            ++at_;
            return true;
        }
        return false;
    }

    /// As Windows, Unix and spreadsheets on a Mac write it.
    bool takeLineEnd() {
        const bool isReturn = take('\r');
        const bool isEnd = take('\n') || isReturn;
        line_ += isEnd ? 1 : 0;
        return isEnd;
    }

    void skipBlanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

    /// Blanks around a cell are no part of it; those within quotes are.
    Result<std::string> readCell() {
        skipBlanks();
        if (take('"')) {
            FABRICAST_ASSIGN(std::string cell, readQuoted());
            skipBlanks();
            return cell;
        }
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        const std::string_view cell = text_.substr(at_, end - at_);
        at_ = end;
        return std::string(cell.substr(0, cell.find_last_not_of(kBlanks) + 1));
    }

    Result<std::string> readQuoted() {
        const std::string opened = place();
        std::string cell;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"' && !take('"')) {
                return cell;
            }
            const bool isLone = c == '\r' && !text_.substr(at_).starts_with('\n');
            if (c == '\n' || isLone) {
                ++line_;
            }
            cell += c;
        }
        return fail(Error::Code::BadInput, opened, "this quote is never closed");
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

std::string_view CsvText::cell(const Row& row, std::string_view column) const {
    const auto found = columns.find(column);
    return found == columns.end() ? std::string_view{} : std::string_view(row.cells[found->second]);
}

std::string CsvText::where(const Row& row, std::string_view column) const {
    return source + ":" + std::to_string(row.line) + ", column " + std::string(column);
}

Result<CsvText> parseCsv(std::string_view text, const std::string& source) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.starts_with(kMark)) {
        text.remove_prefix(kMark.size());
    }
    CsvReader reader(text, source);
    CsvText table;
    table.source = source;
    FABRICAST_ASSIGN(const CsvText::Row header, reader.next());
    if (header.cells.size() == 1 &&
        header.cells.front().find_first_of(";\t") != std::string::npos) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(header.line),
                    "columns are separated by semicolons or tabs, and not by commas",
                    "save the table as CSV with commas");
    }
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
        if (!table.columns.emplace(header.cells[i], i).second) {
            return fail(Error::Code::BadInput,
                        source + ":" + std::to_string(header.line),
                        "two columns are called '" + header.cells[i] + "'");
        }
    }
    while (true) {
        FABRICAST_ASSIGN(CsvText::Row row, reader.next());
        if (row.cells.empty()) {
            return table;
        }
        if (row.cells.size() != header.cells.size()) {
            return fail(Error::Code::BadInput,
                        source + ":" + std::to_string(row.line),
                        std::to_string(row.cells.size()) + " cells under " +
                            std::to_string(header.cells.size()) + " columns");
        }
        table.rows.push_back(std::move(row));
    }
}

}  // namespace fabricast
