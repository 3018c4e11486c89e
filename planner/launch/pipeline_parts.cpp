#include "planner/launch/pipeline_parts.h"

#include <charconv>
#include <cstddef>

namespace fabricast {
namespace {

constexpr std::int64_t kMostTimes = 100'000;
constexpr int kDeepest = 16;

/// Reads a layout from its first letter to its last, and counts the bars that it stands for.
class LayoutReader {
public:
    explicit LayoutReader(std::string_view text) : text_(text) {}

    /// The bars up to the end, or to the bracket that closes this level.
    std::optional<std::int64_t> bars(int level) {
        std::int64_t count = 0;
        while (at_ < text_.size() && text_[at_] != ')') {
            const char letter = text_[at_++];
            std::int64_t here = letter == '|' ? 1 : 0;
            if (letter == '(') {
                const std::optional<std::int64_t> inner =
                    level < kDeepest ? bars(level + 1) : std::nullopt;
                if (!inner || at_ >= text_.size()) {
                    return std::nullopt;
                }
                ++at_;  // the closing one
                here = *inner;
            }
            const std::optional<std::int64_t> repeats = times();
            if (!repeats || std::string_view("EtmL|(,").find(letter) == std::string_view::npos) {
                return std::nullopt;
            }
            count += here * *repeats;
            if (count > kMostTimes) {
                return std::nullopt;
            }
        }
        return level > 0 || at_ == text_.size() ? std::optional(count) : std::nullopt;
    }

private:
    /// The number behind a star; 1 where there is none.
    std::optional<std::int64_t> times() {
        if (at_ >= text_.size() || text_[at_] != '*') {
            return 1;
        }
        std::int64_t number = 0;
        const char* const end = text_.data() + text_.size();
        const auto [stop, trouble] = std::from_chars(text_.data() + at_ + 1, end, number);
        at_ = static_cast<std::size_t>(stop - text_.data());
        const bool isTimes = trouble == std::errc() && number > 0 && number <= kMostTimes;
        return isTimes ? std::optional(number) : std::nullopt;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> pipelineParts(std::string_view layout) {
    const std::optional<std::int64_t> bars = LayoutReader(layout).bars(0);
    return bars ? std::optional(*bars + 1) : std::nullopt;
}

}  // namespace fabricast
