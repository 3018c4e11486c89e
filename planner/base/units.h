#pragma once
#include <cmath>
#include <compare>
#include <cstdint>

namespace fabricast {

/// A number with a dimension. `Tag` names the dimension, `Rep` the storage.
///     const Seconds time = 80_GB / 3350_GBps;
/// Sums of different dimensions do not compile; a number leaves its unit only through `count()`.
template <class Tag, class Rep>
class Quantity {
public:
    using rep = Rep;
    constexpr Quantity() = default;
    constexpr explicit Quantity(Rep value) : value_(value) {}
    [[nodiscard]] constexpr Rep count() const { return value_; }
    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity(a.value_ + b.value_);
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity(a.value_ - b.value_);
    }
    friend constexpr Quantity operator*(Quantity a, Rep factor) {
        return Quantity(a.value_ * factor);
    }
    friend constexpr Quantity operator*(Rep factor, Quantity a) { return a * factor; }
    /// The ratio of two equal dimensions is a plain number.
    friend constexpr double operator/(Quantity a, Quantity b) {
        return static_cast<double>(a.value_) / static_cast<double>(b.value_);
    }
    constexpr Quantity& operator+=(Quantity other) {
        value_ += other.value_;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value_ -= other.value_;
        return *this;
    }

private:
    Rep value_{};
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Tokens = Quantity<struct TokensTag, std::int64_t>;
using Flops = Quantity<struct FlopsTag, double>;
using Seconds = Quantity<struct SecondsTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using Joules = Quantity<struct JoulesTag, double>;
using Usd = Quantity<struct UsdTag, double>;
using UsdPerHour = Quantity<struct UsdPerHourTag, double>;

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
    return Seconds(static_cast<double>(size.count()) / rate.count());
}
constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
    return Seconds(work.count() / rate.count());
}
constexpr Joules operator*(Watts power, Seconds time) {
    return Joules(power.count() * time.count());
}
constexpr Usd operator*(UsdPerHour price, Seconds time) {
    return Usd(price.count() * (time.count() / 3600.0));
}

namespace literals {
constexpr Bytes operator""_B(unsigned long long value) {
    return Bytes(static_cast<std::int64_t>(value));
}
constexpr Bytes operator""_KiB(unsigned long long value) {
    return Bytes(static_cast<std::int64_t>(value) << 10);
}
constexpr Bytes operator""_MiB(unsigned long long value) {
    return Bytes(static_cast<std::int64_t>(value) << 20);
}
constexpr Bytes operator""_GiB(unsigned long long value) {
    return Bytes(static_cast<std::int64_t>(value) << 30);
}
constexpr Bytes operator""_GB(unsigned long long value) {
    return Bytes(static_cast<std::int64_t>(value) * 1'000'000'000);
}
constexpr BytesPerSecond operator""_GBps(unsigned long long value) {
    return BytesPerSecond(static_cast<double>(value) * 1e9);
}
/// Network links are quoted in bits; 400_Gbps is 50 GB/s.
constexpr BytesPerSecond operator""_Gbps(unsigned long long value) {
    return BytesPerSecond(static_cast<double>(value) * 1e9 / 8);
}
}  // namespace literals
}  // namespace fabricast
