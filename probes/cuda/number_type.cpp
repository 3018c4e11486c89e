#include "probes/cuda/gemm_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace fabricast::probe {

namespace {

/// A binary format of less than 32 bits: sign, exponent, fraction.
struct SmallFloat {
    int exponentBits;
    int fractionBits;
    int bias;
    double largest;
    std::uint32_t infinite;  ///< the exponent's code of infinity; one past the last where none
};

SmallFloat formatOf(NumberType type) {
    switch (type) {
        case NumberType::Bf16:
            return {8, 7, 127, 3.3895313892515355e38, 255};
        case NumberType::Fp16:
            return {5, 10, 15, 65504.0, 31};
        default:
            return {4, 3, 7, 448.0, 16};
    }
}

std::uint32_t bitsOf(const SmallFloat& format, double value) {
    const std::uint32_t sign = std::signbit(value) ? 1U : 0U;
    const double size = std::min(std::abs(value), format.largest);
    // The step between neighbours is that of the exponent, and of the least one below that.
    int exponent = size > 0.0 ? std::ilogb(size) : 0;
    exponent = std::max(size > 0.0 ? exponent : 1 - format.bias, 1 - format.bias);
    const double steps = std::nearbyint(std::ldexp(size, format.fractionBits - exponent));
    const auto whole = static_cast<std::uint32_t>(steps);
    // A fraction that is full carries into the exponent by itself.
    const auto base = static_cast<std::uint32_t>(exponent + format.bias - 1) << format.fractionBits;
    return (sign << static_cast<unsigned>(format.exponentBits + format.fractionBits)) |
           (base + whole);
}

double valueOf(const SmallFloat& format, std::uint32_t bits) {
    const std::uint32_t fraction = bits & ((1U << format.fractionBits) - 1U);
    const std::uint32_t code = (bits >> format.fractionBits) & ((1U << format.exponentBits) - 1U);
    const bool negative = (bits >> (format.exponentBits + format.fractionBits)) != 0;
    if (code == format.infinite) {
        return fraction == 0 ? (negative ? -INFINITY : INFINITY) : NAN;
    }
    const std::uint32_t whole = (code > 0 ? 1U << format.fractionBits : 0U) + fraction;
    const int exponent = std::max(static_cast<int>(code), 1) - format.bias - format.fractionBits;
    const double size = std::ldexp(static_cast<double>(whole), exponent);
    return negative ? -size : size;
}

}  // namespace

Answer<NumberType> numberTypeOf(const std::string& name) {
    constexpr const char* kNames[] = {"bf16", "fp16", "tf32", "fp32", "fp8"};
    for (int at = 0; at < 5; ++at) {
        if (name == kNames[at]) {
            return static_cast<NumberType>(at);
        }
    }
    return Trouble{"dtype '" + name + "' is none of bf16, fp16, tf32, fp32, fp8"};
}

std::size_t bytesOf(NumberType type) {
    return type == NumberType::Fp8                                ? 1
           : type == NumberType::Bf16 || type == NumberType::Fp16 ? 2
                                                                  : 4;
}

double roundingOf(NumberType type) {
    switch (type) {
        case NumberType::Bf16:
            return std::ldexp(1.0, -8);
        case NumberType::Fp16:
        case NumberType::Tf32:
            return std::ldexp(1.0, -11);
        case NumberType::Fp8:
            return std::ldexp(1.0, -4);
        case NumberType::Fp32:
            break;
    }
    return std::ldexp(1.0, -24);
}

void writeNumber(float value, NumberType type, void* to) {
    if (bytesOf(type) == 4) {
        std::memcpy(to, &value, 4);
        return;
    }
    const std::uint32_t bits = bitsOf(formatOf(type), static_cast<double>(value));
    const auto two = static_cast<std::uint16_t>(bits);
    const auto one = static_cast<std::uint8_t>(bits);
    std::memcpy(to, bytesOf(type) == 2 ? static_cast<const void*>(&two) : &one, bytesOf(type));
}

double readNumber(NumberType type, const void* from) {
    if (bytesOf(type) == 4) {
        float value = 0.0F;
        std::memcpy(&value, from, 4);
        return static_cast<double>(value);
    }
    std::uint16_t two = 0;
    std::uint8_t one = 0;
    std::memcpy(bytesOf(type) == 2 ? static_cast<void*>(&two) : &one, from, bytesOf(type));
    return valueOf(formatOf(type), bytesOf(type) == 2 ? two : one);
}

}  // namespace fabricast::probe
