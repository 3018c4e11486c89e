#pragma once
#include "planner/base/result.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace fabricast {

/// A 64-bit integer that remembers when a sum or product of it no longer fits, so that a formula
/// over numbers a user typed can be written plainly and asked once at its end.
///     const Checked size = Checked(layers) * hidden * hidden * 4 + vocab;
///     FABRICAST_ASSIGN(const std::int64_t parameters, size.result("model", "parameters"));
class Checked {
public:
    constexpr Checked() = default;
    template <std::signed_integral Integer>
    constexpr Checked(Integer value) : value_(value) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] constexpr bool fits() const { return fits_; }

    /// The number, or an error at `where` saying that `what` is too large to count.
    [[nodiscard]] Result<std::int64_t> result(std::string where, const std::string& what) const {
        if (fits_) {
            return value_;
        }
        return fail(Error::Code::BadInput,
                    std::move(where),
                    "the number of " + what + " does not fit 64 bits",
                    "use smaller sizes");
    }

    friend constexpr Checked operator+(Checked left, Checked right) {
        Checked sum;
        sum.fits_ = !__builtin_add_overflow(left.value_, right.value_, &sum.value_);
        return sum.after(left, right);
    }
    friend constexpr Checked operator-(Checked left, Checked right) {
        Checked difference;
        difference.fits_ = !__builtin_sub_overflow(left.value_, right.value_, &difference.value_);
        return difference.after(left, right);
    }
    friend constexpr Checked operator*(Checked left, Checked right) {
        Checked product;
        product.fits_ = !__builtin_mul_overflow(left.value_, right.value_, &product.value_);
        return product.after(left, right);
    }
    constexpr Checked& operator+=(Checked other) { return *this = *this + other; }
    constexpr Checked& operator*=(Checked other) { return *this = *this * other; }

private:
    [[nodiscard]] constexpr Checked after(Checked left, Checked right) const {
        Checked outcome = *this;
        outcome.fits_ = fits_ && left.fits_ && right.fits_;
        return outcome;
    }

    std::int64_t value_ = 0;
    bool fits_ = true;
};

/// A product of counts, at most the largest 64-bit number: for sizes that are compared before
/// they have been bounded.
template <std::same_as<std::int64_t>... Counts>
constexpr std::int64_t saturatingProduct(Counts... counts) {
    std::int64_t product = 1;
    const bool fits = (!__builtin_mul_overflow(product, counts, &product) && ...);
    return fits ? product : std::numeric_limits<std::int64_t>::max();
}

}  // namespace fabricast
