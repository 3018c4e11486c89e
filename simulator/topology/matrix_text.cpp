#include "simulator/topology/topology_matrix.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostDevices = 256;
constexpr std::int64_t kMostMatrixLinks = 64;

constexpr std::array<std::string_view, 5> kNearness = {"PIX", "PXB", "PHB", "NODE", "SYS"};

/// Words without the escapes that underline the heading.
std::vector<std::string> plainWordsOf(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        if (at < line.size() && line[at] == '\x1b') {
            at = std::min(line.find('m', at), line.size());
            continue;
        }
        if (at == line.size() || line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
            if (!word.empty()) {
                words.push_back(std::move(word));
            }
            word.clear();
        } else {
            word += line[at];
        }
    }
    return words;
}

bool isGpuName(std::string_view name) {
    return name.starts_with("GPU") && name.size() > 3 && name[3] >= '0' && name[3] <= '9';
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0
               ? std::optional(value)
               : std::nullopt;
}

class MatrixText {
public:
    MatrixText(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    Result<std::vector<MatrixRow>> read() {
        std::vector<MatrixRow> rows;
        while (next()) {
            std::vector<std::string> words = plainWordsOf(line_);
            if (heading_.empty()) {
                FABRICAST_TRY(readHeading(words));
            } else if (!words.empty() && rows.size() < heading_.size()) {
                FABRICAST_ASSIGN(MatrixRow row, readRow(words, rows.size()));
                rows.push_back(std::move(row));
            }
        }
        if (heading_.empty() || rows.size() < heading_.size()) {
            return wrong(number_,
                         heading_.empty() ? "no line with GPU0, GPU1, …"
                                          : "the table ends before " + heading_[rows.size()]);
        }
        FABRICAST_TRY(checkSymmetry(rows));
        return rows;
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::int64_t line, std::string why) const {
        return fail(Error::Code::BadInput,
                    source_ + ":" + std::to_string(line),
                    std::move(why),
                    "the output of nvidia-smi topo -m");
    }

    bool next() {
        if (at_ >= text_.size()) {
            return false;
        }
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        line_ = text_.substr(at_, end - at_);
        at_ = end + 1;
        ++number_;
        return true;
    }

    Result<void> readHeading(const std::vector<std::string>& words) {
        if (words.empty() || !isGpuName(words.front())) {
            return {};
        }
        for (const std::string& word : words) {
            if (word == "CPU" || word == "NUMA") {
                break;
            }
            if (std::ranges::find(heading_, word) != heading_.end()) {
                return wrong(number_, word + " appears twice");
            }
            if (heading_.size() == kMostDevices) {
                return wrong(number_, "more than 256 devices in one node");
            }
            heading_.push_back(word);
        }
        return {};
    }

    Result<MatrixCell> readCell(const std::string& word, bool self) const {
        if (word == "X" || self) {
            return word == "X" && self
                       ? Result<MatrixCell>(MatrixCell{.self = true})
                       : wrong(number_, "\"" + word + "\" in place of X, or X elsewhere");
        }
        if (word.starts_with("NV")) {
            const auto links = wholeNumber(std::string_view(word).substr(2));
            if (links && *links >= 1 && *links <= kMostMatrixLinks) {
                return MatrixCell{.nvLinks = *links};
            }
        }
        const auto known = std::ranges::find(kNearness, word);
        if (known == kNearness.end()) {
            return wrong(
                number_,
                "\"" + word.substr(0, 40) + "\" is not one of X, NV#, PIX, PXB, PHB, NODE, SYS");
        }
        return MatrixCell{.nearness = static_cast<Nearness>(known - kNearness.begin())};
    }

    Result<MatrixRow> readRow(const std::vector<std::string>& words, std::size_t index) const {
        if (words.front() != heading_[index]) {
            return wrong(number_,
                         "\"" + words.front().substr(0, 40) + "\" in place of " + heading_[index]);
        }
        if (words.size() <= heading_.size()) {
            return wrong(number_, "the row of " + heading_[index] + " is too short");
        }
        MatrixRow row{.name = heading_[index], .line = number_};
        for (std::size_t other = 0; other < heading_.size(); ++other) {
            FABRICAST_ASSIGN(const MatrixCell cell, readCell(words[other + 1], other == index));
            row.cells.push_back(cell);
        }
        if (row.isGpu() && words.size() > heading_.size() + 2) {
            row.numa = wholeNumber(words[heading_.size() + 2]);
        }
        return row;
    }

    Result<void> checkSymmetry(const std::vector<MatrixRow>& rows) const {
        for (std::size_t one = 0; one < rows.size(); ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                if (!(rows[one].cells[other] == rows[other].cells[one])) {
                    return wrong(rows[one].line,
                                 rows[one].name + " and " + rows[other].name +
                                     " disagree about the link between them");
                }
            }
        }
        return {};
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::int64_t number_ = 0;
    std::string_view line_;
    std::vector<std::string> heading_;
};

}  // namespace

bool MatrixRow::isGpu() const {
    return isGpuName(name);
}

Result<std::vector<MatrixRow>> readMatrix(std::string_view text, const std::string& source) {
    return MatrixText(text, source).read();
}

}  // namespace fabricast
