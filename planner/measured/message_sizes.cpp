#include "planner/measured/message_sizes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fabricast {
namespace {

constexpr double kMostMessageBytes = 1e15;

struct SizeUnit {
    std::string_view written;
    double bytes;
};
/// Megatron's MB and DeepSpeed's GB are powers of two as well.
constexpr std::array kSizeUnits = {SizeUnit{"gib", 0x1p30},
                                   SizeUnit{"mib", 0x1p20},
                                   SizeUnit{"kib", 0x1p10},
                                   SizeUnit{"gb", 0x1p30},
                                   SizeUnit{"mb", 0x1p20},
                                   SizeUnit{"kb", 0x1p10},
                                   SizeUnit{"bytes", 1.0},
                                   SizeUnit{"byte", 1.0}};

constexpr std::string_view kFigures = "0123456789.";

std::optional<double> figuresAsNumber(std::string_view figures) {
    double number = 0;
    const char* const end = figures.data() + figures.size();
    const auto [stop, error] = std::from_chars(figures.data(), end, number);
    const bool isWhole = error == std::errc{} && stop == end && figures.front() != '.';
    return isWhole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<Bytes> sizeOf(std::string_view figures, std::string_view unit) {
    const std::optional<double> number = figures.empty() ? std::nullopt : figuresAsNumber(figures);
    for (const SizeUnit& known : kSizeUnits) {
        if (number && unit.starts_with(known.written) &&
            *number * known.bytes <= kMostMessageBytes) {
            return Bytes(std::llround(*number * known.bytes));
        }
    }
    return std::nullopt;
}

}  // namespace

std::string squeezed(std::string_view words) {
    std::string text(words);
    std::erase(text, ' ');
    return text;
}

std::size_t placeOf(std::string_view text, std::string_view words) {
    return text.find(squeezed(words));
}

bool isThere(std::string_view text, std::string_view words) {
    return placeOf(text, words) != std::string_view::npos;
}

std::optional<double> numberAtFront(std::string_view text) {
    std::string figures(text.substr(0, text.find_first_not_of(kCutFigures)));
    std::erase(figures, '\n');
    return figures.empty() ? std::nullopt : figuresAsNumber(figures);
}

std::optional<Bytes> sizeAtFront(std::string_view text, std::string_view unit) {
    const std::size_t size = std::min(text.find_first_not_of(kCutFigures), text.size());
    const std::string_view after = text.substr(size);
    std::string figures(text.substr(0, size));
    std::erase(figures, '\n');
    if (unit.empty()) {
        return sizeOf(figures, after);
    }
    const bool goesOn = after.find_first_of("-:/") != 0;
    const std::optional<Bytes> joined = goesOn ? sizeOf(figures, unit) : std::nullopt;
    return joined ? joined
                  : sizeOf(text.substr(0, std::min(text.find_first_not_of(kFigures), size)), unit);
}

std::optional<Bytes> sizeAfter(std::string_view text,
                               std::string_view words,
                               std::string_view unit) {
    const std::string sought = squeezed(words);
    const std::size_t at = text.find(sought);
    return at == std::string_view::npos ? std::nullopt
                                        : sizeAtFront(text.substr(at + sought.size()), unit);
}

std::optional<Bytes> sizeEndingAt(std::string_view text, std::size_t at) {
    const std::size_t from = at < kMostSize ? 0 : at - kMostSize;
    const std::string_view before = text.substr(from, at - from);
    const std::size_t digit = before.find_last_of("0123456789");
    if (digit == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view unit = before.substr(digit + 1);
    const std::size_t first = before.find_last_not_of(kCutFigures, digit);
    const std::size_t start = first == std::string_view::npos ? 0 : first + 1;
    std::string figures(before.substr(start, digit + 1 - start));
    const std::size_t cut = figures.rfind('\n');
    const std::string last = cut == std::string::npos ? figures : figures.substr(cut + 1);
    std::erase(figures, '\n');
    const std::optional<Bytes> joined = sizeOf(figures, unit);
    return joined ? joined : sizeOf(last, unit);
}

std::optional<Bytes> sizeBefore(std::string_view text, std::string_view words) {
    const std::size_t at = placeOf(text, words);
    return at == std::string_view::npos ? std::nullopt : sizeEndingAt(text, at);
}

std::optional<Bytes> firstOf(std::initializer_list<std::optional<Bytes>> sizes) {
    for (const std::optional<Bytes>& size : sizes) {
        if (size) {
            return size;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
