#include "tests/support/same_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostShownLines = 5;
constexpr int kFewDigits = 3;  ///< from here on, one in the last digit is at most a percent

constexpr std::array<std::string_view, 36> kUnits = {
    "%",   "B",   "kB",   "MB",   "GB",    "TB",       "KiB",     "MiB",     "GiB",
    "TiB", "B/s", "MB/s", "GB/s", "TB/s",  "us",       "ms",      "s",       "min",
    "h",   "d",   "W",    "kW",   "MW",    "kWh",      "MWh",     "J",       "kJ",
    "MJ",  "x",   "FLOP", "tok",  "tok/s", "tokens/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"};

bool isDigit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool isWordLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}
bool isSpace(char letter) {
    return letter == ' ' || letter == '\t';
}

/// A part of a line: a number, a word or mark, or what only lays a table out.
struct Piece {
    std::string_view text;
    bool layout = false;     ///< a run of blanks, or of a rule's dashes
    bool tolerant = false;   ///< a number that may differ a little
    double value = 0.0;      ///< of a number
    double lastDigit = 0.0;  ///< what one more in its last digit is
    int digits = 0;
};

/// Cuts a line into its pieces.
class Pieces {
public:
    explicit Pieces(std::string_view line) : line_(line) {}

    std::vector<Piece> all() {
        std::vector<Piece> pieces;
        while (at_ < line_.size()) {
            pieces.push_back(next());
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            takeUnit(pieces, i);
        }
        return pieces;
    }

private:
    [[nodiscard]] char letter(std::size_t ahead = 0) const {
        return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
    }

    Piece next() {
        const std::size_t from = at_;
        if (isSpace(letter()) || (letter() == '-' && letter(1) == '-')) {
            const char first = letter();
            while (letter() == first || (isSpace(first) && isSpace(letter()))) {
                ++at_;
            }
            return {.text = line_.substr(from, at_ - from), .layout = true};
        }
        if (isDigit(letter())) {
            Piece number = takeNumber();
            // "2.28.9", "2026-05" and "8b" are names, and so is what a digit or a letter precedes.
            const bool goesOn = (letter() == '.' || letter() == '-') && isWordLetter(letter(1));
            const bool inPath = number.tolerant && isDigit(letter(1));  // "12.5h3"
            const bool named = isWordLetter(letter()) && !isUnit(wordFrom(at_)) && !inPath;
            if (!goesOn && !named) {
                return number;
            }
            at_ = from;
            return takeWord();
        }
        if (!isWordLetter(letter())) {
            ++at_;
            return {.text = line_.substr(from, 1)};
        }
        // "M12.5" of a picture's path is a command and a number.
        if (isDigit(letter(1)) && std::isalpha(static_cast<unsigned char>(letter())) != 0) {
            ++at_;
            const Piece number = takeNumber();
            const bool alone = number.tolerant && !(letter() == '.' && isDigit(letter(1)));
            at_ = alone ? from + 1 : from;
            if (alone) {
                return {.text = line_.substr(from, 1)};
            }
        }
        return takeWord();
    }

    [[nodiscard]] std::string_view wordFrom(std::size_t from) const {
        std::size_t end = from;
        while (end < line_.size() && (isWordLetter(line_[end]) || line_[end] == '/')) {
            ++end;
        }
        return line_.substr(from, end - from);
    }

    static bool isUnit(std::string_view word) {
        return std::ranges::find(kUnits, word) != kUnits.end();
    }

    Piece takeWord() {
        const std::size_t from = at_;
        while (isWordLetter(letter()) ||
               ((letter() == '.' || letter() == '-') && isWordLetter(letter(1)))) {
            ++at_;
        }
        return {.text = line_.substr(from, at_ - from)};
    }

    int takeDigits(std::string& plain) {
        const std::size_t from = at_;
        while (isDigit(letter())) {
            plain += line_[at_++];
        }
        return static_cast<int>(at_ - from);
    }

    Piece takeNumber() {
        const std::size_t from = at_;
        std::string plain;
        Piece number;
        const int leading = takeDigits(plain);
        number.digits = leading;
        while (leading <= 3 && letter() == ',' && isDigit(letter(1)) && isDigit(letter(2)) &&
               isDigit(letter(3)) && !isDigit(letter(4))) {
            ++at_;
            number.digits += takeDigits(plain);
            number.tolerant = true;
        }
        int shift = 0;
        if (letter() == '.' && isDigit(letter(1))) {
            plain += line_[at_++];
            shift = -takeDigits(plain);
            number.digits -= shift;
            number.tolerant = true;
        }
        const std::size_t sign = letter(1) == '-' || letter(1) == '+' ? 1 : 0;
        if (letter() == 'e' && isDigit(letter(1 + sign))) {
            std::string power = letter(1) == '-' ? "-" : "";
            at_ += 1 + sign;
            takeDigits(power);
            plain += "e" + power;
            shift += std::stoi(power);
            number.tolerant = true;
        }
        std::from_chars(plain.data(), plain.data() + plain.size(), number.value);
        number.lastDigit = std::pow(10.0, shift);
        number.text = line_.substr(from, at_ - from);
        return number;
    }

    /// A whole number with a unit ("735 ms", "$120") is no count.
    static void takeUnit(std::vector<Piece>& pieces, std::size_t i) {
        if (pieces[i].digits == 0) {
            return;
        }
        const std::size_t blank = i + 1 < pieces.size() && pieces[i + 1].text == " " ? 1 : 0;
        std::string after;
        for (std::size_t j = i + 1 + blank; j < pieces.size() && !pieces[j].layout; ++j) {
            after += pieces[j].text;
            pieces[i].tolerant = pieces[i].tolerant || isUnit(after);
        }
        pieces[i].tolerant = pieces[i].tolerant || (i > 0 && pieces[i - 1].text == "$");
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

bool sameNumber(const Piece& a, const Piece& b, TextTolerance tolerance) {
    const double apart = std::abs(a.value - b.value);
    const double lastDigit = std::max(a.lastDigit, b.lastDigit);
    const bool rounded =
        std::min(a.digits, b.digits) >= kFewDigits && apart <= lastDigit * (1.0 + 1e-9);
    return rounded || apart <= tolerance.relative * std::max(std::abs(a.value), std::abs(b.value));
}

/// How two lines compare, and whether a number changed its width.
struct LinesCompared {
    bool same = true;
    bool sameLayout = true;
    bool sameWidths = true;
};

LinesCompared compare(std::string_view now, std::string_view before, TextTolerance tolerance) {
    LinesCompared found;
    if (now == before) {
        return found;
    }
    const std::vector<Piece> a = Pieces(now).all();
    const std::vector<Piece> b = Pieces(before).all();
    found.same = tolerance.relative > 0.0 && a.size() == b.size();
    for (std::size_t i = 0; found.same && i < a.size(); ++i) {
        if (a[i].tolerant && b[i].tolerant) {
            found.same = sameNumber(a[i], b[i], tolerance);
            found.sameWidths = found.sameWidths && a[i].text.size() == b[i].text.size();
        } else if (a[i].layout && b[i].layout && a[i].text.front() == b[i].text.front()) {
            found.sameLayout = found.sameLayout && a[i].text == b[i].text;
        } else {
            found.same = a[i].text == b[i].text;
        }
    }
    return found;
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string shown(std::size_t line, std::string_view now, std::string_view before) {
    const auto ended = [](std::string_view text) {
        return std::string(text) + (text.ends_with('\n') ? "" : "\n");
    };
    return "line " + std::to_string(line + 1) + "\n  is  " + ended(now) + "  was " + ended(before);
}

}  // namespace

std::string textDifference(std::string_view text,
                           std::string_view expected,
                           TextTolerance tolerance) {
    const std::vector<std::string_view> now = linesOf(text);
    const std::vector<std::string_view> before = linesOf(expected);
    std::vector<std::size_t> differing;
    std::vector<std::size_t> movedLines;
    bool sameWidths = true;
    for (std::size_t i = 0; i < std::max(now.size(), before.size()); ++i) {
        const LinesCompared compared = i < now.size() && i < before.size()
                                           ? compare(now[i], before[i], tolerance)
                                           : LinesCompared{.same = false};
        sameWidths = sameWidths && compared.sameWidths;
        if (!compared.same) {
            differing.push_back(i);
        } else if (!compared.sameLayout) {
            movedLines.push_back(i);
        }
    }
    if (differing.empty() && sameWidths) {
        differing = movedLines;
    }
    std::string difference;
    for (std::size_t i = 0; i < std::min(differing.size(), kMostShownLines); ++i) {
        const std::size_t line = differing[i];
        difference += shown(line,
                            line < now.size() ? now[line] : "(nothing)",
                            line < before.size() ? before[line] : "(nothing)");
    }
    if (differing.size() > kMostShownLines) {
        difference += "and " + std::to_string(differing.size() - kMostShownLines) + " lines more\n";
    }
    return difference;
}

}  // namespace fabricast
