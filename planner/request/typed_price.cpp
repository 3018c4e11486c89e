#include "planner/request/typed_price.h"

#include "planner/base/small_letters.h"
#include "planner/evidence/price_profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kHint = "for example \"$2.10/h\"";

/// In small letters and without blanks, "per" as "/".
std::string tightened(std::string_view text) {
    std::string tight;
    for (const char letter : text) {
        if (letter != ' ' && letter != '\t') {
            tight += smallLetter(letter);
        }
    }
    for (std::size_t at = tight.find("per"); at != std::string::npos; at = tight.find("per")) {
        tight.replace(at, 3, "/");
    }
    return tight;
}

/// Takes the first of the words that stands at either end.
template <std::size_t N>
bool take(std::string& text, const std::array<std::string_view, N>& words, bool atEnd) {
    for (const std::string_view word : words) {
        if (atEnd ? text.ends_with(word) : text.starts_with(word)) {
            text.erase(atEnd ? text.size() - word.size() : 0, word.size());
            return true;
        }
    }
    return false;
}

constexpr std::array<std::string_view, 5> kDollars = {"us$", "usd", "dollars", "dollar", "$"};
constexpr std::array<std::string_view, 14> kOthers = {
    "€", "£", "¥", "₹", "₩", "eur", "gbp", "chf", "cny", "rmb", "jpy", "inr", "cad", "aud"};
/// What is behind an amount that is of one GPU for an hour.
constexpr std::array<std::string_view, 17> kHours = {"/gpu/hour",
                                                     "/gpu/hr",
                                                     "/gpu/h",
                                                     "/hour/gpu",
                                                     "/hr/gpu",
                                                     "/h/gpu",
                                                     "/gpu-hour",
                                                     "/gpu-hr",
                                                     "/gpu-h",
                                                     "/gpuhour",
                                                     "/gpuhr",
                                                     "/gpuh",
                                                     "/hour",
                                                     "/hr",
                                                     "/h",
                                                     "/gpu",
                                                     "anhour"};

/// Whether it is an amount of something and no name: it begins with a number, with the sign of a
/// currency, or with the letters of one before a number.
bool isAmount(const std::string& tight) {
    if (tight.empty() || tight.ends_with(".json")) {
        return false;
    }
    std::string rest = tight;
    const bool isSigned = take(rest, kOthers, false) || take(rest, kDollars, false);
    const bool isLetters = tight.front() >= 'a' && tight.front() <= 'z';
    const std::string_view begins = isLetters ? "0123456789." : "0123456789.-";
    return (isSigned && !isLetters) ||
           (!rest.empty() && begins.find(rest.front()) != std::string_view::npos);
}

/// What is left of a price without its amount.
struct Price {
    double amount = 0.0;
    std::string unit;
};

Price splitAmount(std::string text) {
    Price price;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, price.amount);
    price.unit = read.ec == std::errc()
                     ? text.substr(static_cast<std::size_t>(read.ptr - text.data()))
                     : text;
    return price;
}

}  // namespace

Result<std::optional<UsdPerHour>> readTypedPrice(std::string_view text, std::string_view where) {
    const std::string tight = tightened(text);
    const auto wrong = [&](const std::string& why, std::string hint) {
        return fail(Error::Code::BadInput,
                    std::string(where),
                    "\"" + std::string(text.substr(0, 60)) + "\" " + why,
                    std::move(hint));
    };
    for (const auto& [kind, name] : namesOf(PriceKind{})) {
        if (tight == name) {
            return wrong("is a kind of price", "--price-kind " + std::string(name));
        }
    }
    if (!isAmount(tight)) {
        return std::optional<UsdPerHour>();
    }
    std::string rest = tight;
    const bool hasDollars = take(rest, kDollars, false);
    const bool hasOther = !hasDollars && take(rest, kOthers, false);
    if (rest.starts_with('-')) {
        return wrong("is negative", kHint);
    }
    if (rest.starts_with('.') && rest.find('/') != std::string::npos) {
        return wrong("begins with a point", "quote it, as a shell takes $2 away: '$2.10/h'");
    }
    Price price = splitAmount(std::move(rest));
    if (hasOther || take(price.unit, kOthers, false)) {
        return wrong("is not in US dollars, and no rate of exchange is assumed",
                     "the same in dollars: --price '$2.10/h'");
    }
    if (price.unit.starts_with(',')) {
        return wrong("has a comma", "a decimal point: --price '$2.10/h'");
    }
    if (!hasDollars) {
        take(price.unit, kDollars, false);
    }
    take(price.unit, kHours, true);
    if (!price.unit.empty()) {
        return wrong("is not a price of one GPU for an hour: \"" + price.unit.substr(0, 60) +
                         "\" is not a unit of it",
                     "of one GPU and an hour: --price '$2.10/h'");
    }
    return std::optional(UsdPerHour(price.amount));
}

Result<std::vector<PricedGpu>> readGpuPrices(std::string_view text, std::string_view where) {
    std::vector<PricedGpu> prices;
    if (text.find('=') == std::string_view::npos) {
        return prices;
    }
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string_view one = text.substr(at, end - at);
        const std::size_t equals = one.find('=');
        const bool hasBoth = equals != std::string_view::npos && equals > 0;
        FABRICAST_ASSIGN(
            const std::optional<UsdPerHour> price,
            hasBoth ? readTypedPrice(one.substr(equals + 1), where) : std::optional<UsdPerHour>());
        if (!price) {
            return fail(Error::Code::BadInput,
                        std::string(where),
                        "\"" + std::string(one.substr(0, 60)) + "\" is not the price of a GPU",
                        "for example h100=2.10,h200=3.50");
        }
        prices.push_back({std::string(one.substr(0, equals)), *price});
        at = end + 1;
    }
    return prices;
}

}  // namespace fabricast
