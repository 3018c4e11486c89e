#include "study/typed_amounts.h"

#include "planner/base/quantity_text.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// Without the word at the end and the blanks before it.
std::string withoutWord(std::string text, std::initializer_list<std::string_view> words) {
    const auto word =
        std::ranges::find_if(words, [&text](std::string_view one) { return text.ends_with(one); });
    if (word != words.end()) {
        text.resize(text.size() - word->size());
    }
    text.erase(text.find_last_not_of(" \t") + 1);
    return text;
}

/// "6,000": three digits behind each comma.
bool isGrouped(std::string_view text) {
    const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
    for (std::size_t comma = text.find(','); comma != std::string_view::npos;
         comma = text.find(',', comma + 1)) {
        const std::string_view behind = text.substr(comma + 1);
        const auto digits =
            static_cast<std::size_t>(std::ranges::find_if_not(behind, isDigit) - behind.begin());
        if (comma == 0 || !isDigit(text[comma - 1]) || digits != 3) {
            return false;
        }
    }
    return true;
}

/// A number and nothing behind it.
std::optional<double> numberIn(std::string_view text) {
    double value = 0.0;
    const auto [stop, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = trouble == std::errc() && stop == text.data() + text.size();
    return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// "17k", "17,000", "1.5 million".
Result<double> manyIn(std::string text,
                      std::string_view typed,
                      const char* what,
                      const std::string& where) {
    if (isGrouped(text)) {
        std::erase(text, ',');
    }
    const std::optional<double> number = numberIn(text);
    if (number && *number >= 0.0) {
        return *number;
    }
    Result<Tokens> many = parseQuantity<Tokens>(text, where);
    if (number && !many) {
        return tl::unexpected(std::move(many).error());  // it is negative
    }
    return many
               ? Result<double>(static_cast<double>(many->count()))
               : fail(
                     Error::Code::BadInput, where, "\"" + std::string(typed) + "\" is not " + what);
}

/// In days; `unit` is that of a number alone.
Result<double> daysIn(std::string_view typed, double unit, const std::string& where) {
    if (const std::optional<double> number = numberIn(typed)) {
        return *number * unit;
    }
    FABRICAST_ASSIGN(const Seconds time, parseQuantity<Seconds>(typed, where));
    return time.count() / kSecondsPerDay;
}

}  // namespace

Result<double> typedDollars(std::string_view typed, const std::string& where) {
    std::string text(typed.substr(typed.starts_with('$') ? 1 : 0));
    text = withoutWord(std::move(text), {"USD", "usd", "dollars", "$"});
    return manyIn(std::move(text), typed, "a number of dollars", where);
}

Result<double> typedTokenRate(std::string_view typed, const std::string& where) {
    std::string text = withoutWord(std::string(typed), {"tokens/s", "tok/s"});
    return manyIn(std::move(text), typed, "a number of tokens per second", where);
}

Result<double> typedDays(std::string_view typed, const std::string& where) {
    return daysIn(typed, 1.0, where);
}

Result<double> typedHours(std::string_view typed, const std::string& where) {
    return daysIn(typed, kDaysPerHour, where);
}

}  // namespace fabricast
