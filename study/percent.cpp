#include "study/percent.h"

#include <charconv>

namespace fabricast {
namespace {

/// A part in a million, as the keys of shares that are divided by have it.
constexpr double kLeastShare = 1e-6;

}  // namespace

Result<double> percentOf(const std::string& typed, const std::string& flag) {
    const bool inPercent = typed.ends_with('%');
    std::string digits = inPercent ? typed.substr(0, typed.size() - 1) : typed;
    if (inPercent) {  // "43.0 %", as it is printed
        digits.erase(digits.find_last_not_of(" \t") + 1);
    }
    double value = 0.0;
    const char* end = digits.data() + digits.size();
    const auto [stop, trouble] = std::from_chars(digits.data(), end, value);
    const double share = inPercent ? value / 100.0 : value;
    if (digits.empty() || trouble != std::errc() || stop != end ||
        !(share >= 0.0 && share <= 1.0)) {
        return fail(Error::Code::BadInput,
                    flag,
                    "\"" + typed + "\" is not a share from 0 to 100 %",
                    flag + " 1%");
    }
    return share;
}

Result<double> percentAbove0(const std::string& typed, const std::string& flag) {
    Result<double> read = percentOf(typed, flag);
    if (!read) {
        read.error().hint = flag + " 80%";
        return read;
    }
    const double share = *read;
    if (share < kLeastShare) {
        return fail(
            Error::Code::BadInput, flag, "\"" + typed + "\" is not a share above 0", flag + " 80%");
    }
    return share;
}

}  // namespace fabricast
