#include "planner/launch/python_reading.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostPythonWords = 300'000;
/// Brackets in each other: more than any program has, and few enough to look into each again.
constexpr std::size_t kMostBrackets = 60;

bool isNameByte(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    constexpr unsigned char kFirstBeyondAscii = 0x80;
    return std::isalnum(byte) != 0 || letter == '_' || byte >= kFirstBeyondAscii;
}

bool isDigit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// Reads a program once, from its first letter to its last.
class PythonWordReader {
public:
    PythonWordReader(std::string_view program, const std::string& source)
        : program_(program), source_(source) {}

    Result<std::vector<PythonWord>> read() {
        while (at_ < program_.size()) {
            FABRICAST_TRY(step());
            if (words_.size() > kMostPythonWords) {
                return refuse("more words than a training script has");
            }
        }
        if (!open_.empty()) {
            return refuse("a bracket of line " + std::to_string(words_[open_.back()].line) +
                          " is not closed");
        }
        endLine();
        FABRICAST_TRY(checkIndentation(words_, source_));
        return std::move(words_);
    }

private:
    [[nodiscard]] char next(std::size_t ahead = 0) const {
        return at_ + ahead < program_.size() ? program_[at_ + ahead] : '\0';
    }

    [[nodiscard]] tl::unexpected<Error> refuse(const std::string& why,
                                               const std::string& hint = {}) const {
        return fail(Error::Code::BadInput,
                    source_ + ":" + std::to_string(line_) + ":" + std::to_string(column_),
                    why,
                    hint);
    }

    char take() {
        const char letter = program_[at_++];
        ++column_;
        if (letter == '\n') {
            ++line_;
            column_ = 1;
        }
        return letter;
    }

    PythonWord& add(PythonWord::Kind kind) {
        words_.push_back({.kind = kind, .text = {}, .line = line_, .column = column_});
        return words_.back();
    }

    void endLine() {
        if (open_.empty() && !words_.empty() && words_.back().kind != PythonWord::Kind::End) {
            add(PythonWord::Kind::End);
        }
    }

    Result<void> step() {
        const char letter = next();
        if (letter == '#') {
            while (at_ < program_.size() && next() != '\n') {
                take();
            }
        } else if (letter == '\n') {
            endLine();
            take();
        } else if (column_ == 1 && isMergeMark()) {
            return refuse("has a mark of a merge that is not resolved",
                          "the version of these lines that the training takes");
        } else if (letter == '\\' && next(1) == '\n') {
            take();
            take();
        } else if (letter == '\\' && next(1) == '\r' && next(2) == '\n') {
            take();
            take();
            take();
        } else if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
            take();
        } else if (quoteAt() != std::string_view::npos) {
            return text(quoteAt());
        } else if (isDigit(letter) || (letter == '.' && isDigit(next(1)))) {
            number();
        } else if (isNameByte(letter)) {
            PythonWord& word = add(PythonWord::Kind::Name);
            while (isNameByte(next())) {
                word.text += take();
            }
        } else {
            return sign();
        }
        return {};
    }

    /// "<<<<<<< HEAD" and ">>>>>>> main" of git, which no program has outside of a text.
    [[nodiscard]] bool isMergeMark() const {
        const std::string_view rest = program_.substr(at_);
        return rest.starts_with("<<<<<<< ") || rest.starts_with(">>>>>>> ") ||
               rest.starts_with("======= ") || rest.starts_with("=======\n");
    }

    /// How many letters stand before the quote that begins a text here: r"…", Rb'…'.
    [[nodiscard]] std::size_t quoteAt() const {
        std::size_t before = 0;
        while (before < 2 && std::string_view("rRbBuUfF").find(next(before)) != std::string::npos) {
            ++before;
        }
        const char letter = next(before);
        return letter == '"' || letter == '\'' ? before : std::string_view::npos;
    }

    Result<void> text(std::size_t before) {
        PythonWord& word = add(PythonWord::Kind::Text);
        bool isRaw = false;
        for (std::size_t i = 0; i < before; ++i) {
            const char prefix = take();
            isRaw = isRaw || prefix == 'r' || prefix == 'R';
            word.isOpen = word.isOpen || prefix == 'f' || prefix == 'F';
        }
        const char quote = next();
        const bool isLong = next(1) == quote && next(2) == quote;
        for (int i = 0; i < (isLong ? 3 : 1); ++i) {
            take();
        }
        const auto ends = [&] {
            return next() == quote && (!isLong || (next(1) == quote && next(2) == quote));
        };
        while (!ends()) {
            if (at_ >= program_.size() || (next() == '\n' && !isLong)) {
                return refuse("a text does not end");
            }
            const char letter = take();
            if (letter == '\\' && at_ < program_.size()) {
                word.text += isRaw ? "\\" : "";
                word.text += take();
            } else {
                word.text += letter;
            }
        }
        for (int i = 0; i < (isLong ? 3 : 1); ++i) {
            take();
        }
        return {};
    }

    void number() {
        PythonWord& word = add(PythonWord::Kind::Number);
        while (isNameByte(next()) || next() == '.') {
            const char letter = take();
            word.text += letter == '_' ? "" : std::string(1, letter);
            const bool isPower = letter == 'e' || letter == 'E';
            if (isPower && (next() == '-' || next() == '+') && !word.text.starts_with("0x")) {
                word.text += take();
            }
        }
    }

    Result<void> sign() {
        constexpr std::string_view kBeforeEquals = "=!<>+-*/%&|^:@";
        PythonWord& word = add(PythonWord::Kind::Sign);
        const char letter = take();
        word.text = letter;
        const bool isPair = kBeforeEquals.find(letter) != std::string_view::npos && next() == '=';
        if (isPair || (letter == '*' && next() == '*')) {
            word.text += take();
            return {};
        }
        constexpr std::string_view kOpening = "([{";
        constexpr std::string_view kClosing = ")]}";
        if (kOpening.find(letter) != std::string_view::npos) {
            open_.push_back(words_.size() - 1);
            return open_.size() > kMostBrackets
                       ? Result<void>(refuse("more brackets in each other than a script has"))
                       : Result<void>();
        }
        const std::size_t closing = kClosing.find(letter);
        if (closing == std::string_view::npos) {
            return {};
        }
        if (open_.empty() || words_[open_.back()].text[0] != kOpening[closing]) {
            return refuse(std::string(1, letter) + " closes no bracket");
        }
        words_[open_.back()].close = words_.size() - 1;
        open_.pop_back();
        return {};
    }

    std::string_view program_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
    std::int64_t column_ = 1;
    std::vector<PythonWord> words_;
    std::vector<std::size_t> open_;  ///< brackets that are not closed yet
};

}  // namespace

Result<std::vector<PythonWord>> readPythonWords(std::string_view program,
                                                const std::string& source) {
    return PythonWordReader(program, source).read();
}

}  // namespace fabricast
