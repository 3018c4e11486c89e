#include "gui/print/svg_picture.h"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

/// The commands and numbers of a path, one after the other.
class PathWords {
public:
    explicit PathWords(std::string_view text) : text_(text) {}

    [[nodiscard]] bool isAtEnd() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == ',')) {
            text_.remove_prefix(1);
        }
        return text_.empty();
    }
    /// The command that stands here; the one before is repeated where a number does.
    char command(char before) {
        if (std::isalpha(static_cast<unsigned char>(text_.front())) == 0) {
            return before == 'M' ? 'L' : before == 'm' ? 'l' : before;
        }
        const char letter = text_.front();
        text_.remove_prefix(1);
        return letter;
    }
    /// 0 where there is none, which `isBroken` says.
    double number() {
        double value = 0.0;
        if (isAtEnd()) {
            isBroken_ = true;
            return value;
        }
        const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        isBroken_ = isBroken_ || end.ec != std::errc();
        text_.remove_prefix(static_cast<std::size_t>(end.ptr - text_.data()));
        return value;
    }
    [[nodiscard]] bool isBroken() const { return isBroken_; }

private:
    std::string_view text_;
    bool isBroken_ = false;
};

/// Where a command leads to.
QPointF placeAfter(char command, const QPointF& at, PathWords& words) {
    switch (command) {
        case 'H':
            return {words.number(), at.y()};
        case 'h':
            return {at.x() + words.number(), at.y()};
        case 'V':
            return {at.x(), words.number()};
        case 'v':
            return {at.x(), at.y() + words.number()};
        default: {
            const double x = words.number();
            const QPointF place(x, words.number());
            return command == 'm' || command == 'l' ? at + place : place;
        }
    }
}

}  // namespace

Result<std::vector<QPolygonF>> svgOutlines(const std::string& path) {
    constexpr std::string_view kKnown = "MmLlHhVvZz";
    std::vector<QPolygonF> outlines;
    PathWords words(path);
    QPointF at;
    for (char command = 'M'; !words.isAtEnd();) {
        command = words.command(command);
        const bool isMove = command == 'M' || command == 'm';
        if (kKnown.find(command) == std::string_view::npos || (outlines.empty() && !isMove)) {
            return fail(Error::Code::BadInput, "path", std::string(1, command) + " is not drawn");
        }
        if (command == 'Z' || command == 'z') {
            at = outlines.back().front();
            outlines.back() << at;
            continue;
        }
        at = placeAfter(command, at, words);
        if (words.isBroken()) {
            return fail(Error::Code::BadInput, "path", "is not a path");
        }
        if (isMove) {
            outlines.emplace_back();
        }
        outlines.back() << at;
    }
    return outlines;
}

}  // namespace fabricast
