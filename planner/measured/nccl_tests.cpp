#include "planner/measured/nccl_tests.h"

#include "planner/base/letters.h"
#include "planner/base/words.h"
#include "planner/measured/log_date.h"
#include "planner/measured/nccl_tests_rows.h"
#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

using Words = std::vector<std::string_view>;

/// Without "[1,0]<stdout>:" of mpirun and "12: " of srun -l.
std::string_view withoutPrefix(std::string_view line) {
    if (line.starts_with('[')) {
        const std::size_t end = line.find(">:");
        if (end != std::string_view::npos && line.find("<std") < end) {
            line.remove_prefix(end + 2);
        }
    }
    const std::size_t digits = std::min(line.find_first_not_of(" 0123456789"), line.size());
    if (digits > 0 && digits < line.size() && line[digits] == ':' && isDigit(line[digits - 1])) {
        line.remove_prefix(digits + 1);
    }
    return line;
}

std::optional<double> numberOf(std::string_view word) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// "inf", "-nan" or "1e999": a number that no run has.
bool isEndless(std::string_view word) {
    word.remove_prefix(word.starts_with('+') ? 1 : 0);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = !word.empty() && end == word.data() + word.size();
    return whole && (error == std::errc::result_out_of_range || !std::isfinite(value));
}

/// The whole number behind a word: 3 of "Rank  3 Group  0".
std::optional<std::int64_t> wholeAfter(const Words& words, std::string_view name) {
    const auto place = std::ranges::find(words, name);
    const std::string_view word =
        place == words.end() || place + 1 == words.end() ? std::string_view() : *(place + 1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size() && value >= 0;
    return whole ? std::optional(value) : std::nullopt;
}

/// What one more in the last digit is worth: 0.01 of "12.50", 1e5 of "1.2e+06".
double lastDigitOf(std::string_view word) {
    const std::size_t exponent = std::min(word.find_first_of("eE"), word.size());
    const std::size_t dot = std::min(word.find('.'), exponent);
    const std::size_t decimals = dot == exponent ? 0 : exponent - dot - 1;
    const double scale = numberOf("1" + std::string(word.substr(exponent))).value_or(1.0);
    return scale * std::pow(10.0, -static_cast<double>(decimals));
}

std::optional<PrintedNumber> printedIn(std::string_view word) {
    const std::optional<double> value = numberOf(word);
    return value ? std::optional(PrintedNumber{*value, lastDigitOf(word)}) : std::nullopt;
}

/// "22809" is "2.28.9".
std::string versionText(std::string_view code) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), number);
    if (error != std::errc() || end != code.data() + code.size() || number < 1000 ||
        number > 999'999) {
        return std::string(code);
    }
    const std::int64_t unit = number < 10'000 ? 1000 : 10'000;
    return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." +
           std::to_string(number % 100);
}

class LogReader {
public:
    LogReader(const std::string& source, const NcclTestsHint& hint)
        : source_(source), record_(source, hint) {}

    Result<MeasurementRecord> read(std::string_view text) && {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            ++line_;
            FABRICAST_TRY(take(withoutPrefix(line)));
        }
        Result<MeasurementRecord> record = std::move(record_).take();
        return record || headless_ == 0
                   ? std::move(record)
                   : fail(
                         Error::Code::BadInput,
                         source_ + ":" + std::to_string(headless_),
                         "is a row without the names of its columns: this is only the end of a log",
                         kWholeLog);
    }

private:
    Result<void> take(std::string_view line) {
        const Words words = wordsOf(line);
        if (words.empty()) {
            return {};
        }
        if (looksLikeDate(words)) {
            takeDate(words, line);
            return {};
        }
        if (words.front().starts_with('#')) {
            return takeHeader(line, words);
        }
        if (const std::string operation = ncclOperation(line); !operation.empty()) {
            // The command, as a job script echoes it, or a word of another program amid a table.
            (columns_.empty() ? job_.operation : next_) = operation;
            return {};
        }
        if (columns_.empty()) {
            headless_ = headless_ == 0 && looksLikeTableRow(words) ? line_ : headless_;
            return {};
        }
        if (!looksLikeRow(words)) {
            return {};
        }
        if (!numberOf(words.front()) || words.size() + blankColumns() < columns_.size()) {
            record_.drop(source_ + ":" + std::to_string(line_),
                         "it is a row that is damaged or cut");
            return {};
        }
        return takeRow(words);
    }

    void takeDate(const Words& words, std::string_view line) {
        const std::string time = dateOf(words);
        record_.sayBegun(time);
        if (time.empty()) {
            record_.drop(
                source_ + ":" + std::to_string(line_),
                "\"" + std::string(line) + "\" is not read as a date; date -u prints one that is");
        }
    }

    /// Numbers for the most part, or as many words as most of a row: no line of another program.
    [[nodiscard]] bool looksLikeRow(const Words& words) const {
        const auto numbers = static_cast<std::size_t>(std::ranges::count_if(
            words, [](std::string_view word) { return numberOf(word).has_value(); }));
        return 2 * numbers >= words.size() ||
               (numberOf(words.front()) && words.size() > columns_.size() / 2);
    }

    /// Size, count, type, and times and rates of which most are numbers.
    [[nodiscard]] static bool looksLikeTableRow(const Words& words) {
        constexpr std::size_t kFewest = 10;
        return words.size() >= kFewest && numberOf(words[0]) && numberOf(words[1]) &&
               !numberOf(words[2]) && numberOf(words[kFewest - 1]);
    }

    [[nodiscard]] static bool mayBeBlank(const std::string& column) {
        return column == "redop" || column == "root";
    }
    [[nodiscard]] std::size_t blankColumns() const {
        return static_cast<std::size_t>(std::ranges::count_if(columns_, &mayBeBlank));
    }

    Result<void> takeHeader(std::string_view line, const Words& words) {
        if (const std::string operation = ncclOperation(line); !operation.empty()) {
            job_.operation = operation;
            next_.clear();
        }
        if (std::ranges::find(words, "nThread") != words.end()) {
            // A new run begins; its name may be just before.
            job_ = {.operation = next_.empty() ? job_.operation : std::exchange(next_, ""),
                    .run = job_.run + 1};
            columns_.clear();
            job_.list.sayPerProcess(
                ranksPerProcess(wholeAfter(words, "nThread"), wholeAfter(words, "nGpus")));
        }
        const auto rank = std::ranges::find(words, "Rank");
        const auto on = std::ranges::find(words, "on");
        if (rank != words.end() && on != words.end() && on + 1 != words.end() &&
            std::ranges::find(words, "device") != words.end()) {
            FABRICAST_TRY(takeRank(line, words, std::string(*(on + 1))));
        }
        if (std::ranges::find(words, "busbw") != words.end() &&
            std::ranges::find(words, "size") != words.end()) {
            takeColumns(words);
        }
        takeVersion(line);
        return {};
    }

    Result<void> takeRank(std::string_view line, const Words& words, const std::string& host) {
        const std::string where = source_ + ":" + std::to_string(line_);
        const std::int64_t group = wholeAfter(words, "Group").value_or(0);
        const std::optional<std::int64_t> rank = wholeAfter(words, "Rank");
        if (!rank) {
            return fail(Error::Code::BadInput, where, "is a line of the list of ranks without one");
        }
        FABRICAST_TRY(job_.list.add(group, *rank, where));
        if (group != 0) {
            return {};
        }
        ++job_.ranks;
        ++job_.hosts[host];
        // "device  0 [0000:18:00.0] NVIDIA H100 80GB HBM3", or "[0x18] …".
        const std::size_t bracket = line.find(']', line.find("device"));
        if (bracket == std::string_view::npos) {
            return {};
        }
        std::string gpu;
        for (const std::string_view word : wordsOf(line.substr(bracket + 1))) {
            gpu += (gpu.empty() ? "" : " ") + std::string(word);
        }
        return record_.sayGpu(gpu, where);
    }

    void takeVersion(std::string_view line) {
        constexpr std::string_view kKey = "nccl-library=";
        const std::size_t at = line.find(kKey);
        if (at != std::string_view::npos) {
            const Words words = wordsOf(line.substr(at + kKey.size()));
            record_.say("nccl", words.empty() ? "" : versionText(words.front()));
        }
    }

    void takeColumns(const Words& words) {
        columns_.clear();
        for (const std::string_view word : words) {
            if (word != "#") {
                columns_.emplace_back(word.starts_with('#') && word != "#wrong" ? word.substr(1)
                                                                                : word);
            }
        }
    }

    /// The cell below the n-th column of this name. Old versions left the type of reduction and the
    /// root blank where there is none.
    [[nodiscard]] std::string_view cell(const Words& words, std::string_view name, int nth) const {
        const std::size_t missing =
            columns_.size() > words.size() ? columns_.size() - words.size() : 0;
        std::size_t blank = 0;
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            const std::string& column = columns_[at];
            if (mayBeBlank(column) && blank < missing) {
                ++blank;
                continue;
            }
            if (column == name && nth-- == 0) {
                return at - blank < words.size() ? words[at - blank] : std::string_view();
            }
        }
        return {};
    }

    /// The words between the type and the time: a number is the root, the other the reduction.
    [[nodiscard]] NcclTestsKind kindOf(const Words& words) const {
        const auto columnOf = [&](std::string_view name) {
            return static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
        };
        const auto blank =
            static_cast<std::ptrdiff_t>(columns_.size() - std::min(words.size(), columns_.size()));
        NcclTestsKind kind;
        const auto last = static_cast<std::ptrdiff_t>(columnOf("time")) - blank;
        for (auto at = static_cast<std::ptrdiff_t>(columnOf("type")) + 1; at < last; ++at) {
            const std::string_view word = words[static_cast<std::size_t>(at)];
            const std::optional<double> root = numberOf(word);
            kind.redop = root ? kind.redop : std::string(word);
            kind.root = root ? ncclRoot(*root) : kind.root;
        }
        return kind;
    }

    /// The first number of either half that is endless; empty: none is.
    [[nodiscard]] std::string endlessCell(const Words& words) const {
        for (const int place : {0, 1}) {
            for (const std::string_view column : {"time", "algbw", "busbw", "#wrong"}) {
                if (const auto word = cell(words, column, place); isEndless(word)) {
                    return "its " + std::string(column) + " is \"" + std::string(word) + "\"";
                }
            }
        }
        return "";
    }

    Result<void> takeRow(const Words& words) {
        NcclTestsRow row{.where = source_ + ":" + std::to_string(line_)};
        const std::optional<double> bytes = numberOf(cell(words, "size", 0));
        if (!bytes || *bytes < 0 || *bytes > kMostCollectiveBytes || *bytes != std::floor(*bytes)) {
            return fail(Error::Code::BadInput,
                        row.where,
                        "does not begin with a size of up to 1e15 whole bytes",
                        "remove the line if it is damaged");
        }
        if (const std::string why = endlessCell(words); !why.empty()) {
            record_.drop(row.where, why);
            return {};
        }
        row.bytes = static_cast<std::int64_t>(*bytes);
        row.type = cell(words, "type", 0);
        row.kind = kindOf(words);
        for (const int place : {0, 1}) {
            const std::optional<double> time = numberOf(cell(words, "time", place));
            const std::optional<double> wrong = numberOf(cell(words, "#wrong", place));
            row.wrong += wrong.value_or(0.0);
            if (row.microseconds.empty() && time && *time > 0) {
                row.algbw = printedIn(cell(words, "algbw", place));
                row.busbw = printedIn(cell(words, "busbw", place));
                if (row.algbw) {
                    FABRICAST_TRY(checkRate(row.where,
                                            row.bytes,
                                            {*time, lastDigitOf(cell(words, "time", place))},
                                            *row.algbw));
                }
                row.microseconds.push_back(*time);
            }
        }
        if (row.microseconds.empty()) {
            return fail(Error::Code::BadInput,
                        row.where,
                        "has no time in the time column",
                        "remove the line if it is truncated");
        }
        return record_.add(job_, row);
    }

    std::string source_;
    NcclTestsRecord record_;
    NcclTestsJob job_;
    std::string next_;  ///< operation of the run after this
    std::vector<std::string> columns_;
    std::int64_t line_ = 0;
    std::int64_t headless_ = 0;  ///< the first row before any columns
};

}  // namespace

Result<MeasurementRecord> parseNcclTests(std::string_view text,
                                         const std::string& source,
                                         const NcclTestsHint& hint) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{') {
        return parseNcclTestsJson(text, source, hint);
    }
    return LogReader(source, hint).read(text);
}

}  // namespace fabricast
