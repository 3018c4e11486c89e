#pragma once
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define FABRICAST_BOTH __host__ __device__ inline
#else
#define FABRICAST_BOTH inline
#endif

namespace fabricast::probe {

/// Eight bf16 numbers, which one thread reads or writes at once.
struct Pack {
    static constexpr int kNumbers = 8;
    alignas(16) std::uint32_t pairs[4];
};

/// The same as fp32.
struct Eight {
    float v[Pack::kNumbers];
};

/// Four fp32 numbers, which one thread reads or writes at once.
struct FourFloats {
    alignas(16) float v[4];
};

FABRICAST_BOTH Eight join(const FourFloats low, const FourFloats high) {
    Eight eight{};
    for (int i = 0; i < 4; ++i) {
        eight.v[i] = low.v[i];
        eight.v[4 + i] = high.v[i];
    }
    return eight;
}

FABRICAST_BOTH float floatOf(std::uint32_t bits) {
    float value = 0.0F;
    memcpy(&value, &bits, sizeof value);
    return value;
}

FABRICAST_BOTH std::uint32_t bitsOf(float value) {
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// The upper half of a float, rounded to the nearest, ties to even.
FABRICAST_BOTH std::uint32_t bf16Bits(float value) {
    const std::uint32_t bits = bitsOf(value);
    return (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
}

/// By value: a pack is then read as the 16 bytes that it is.
FABRICAST_BOTH Eight unpack(const Pack pack) {
    Eight eight{};
    for (int pair = 0; pair < 4; ++pair) {
        eight.v[2 * pair] = floatOf(pack.pairs[pair] << 16U);
        eight.v[2 * pair + 1] = floatOf(pack.pairs[pair] & 0xFFFF0000U);
    }
    return eight;
}

FABRICAST_BOTH Pack packOf(const Eight& eight) {
    Pack pack{};
    for (int pair = 0; pair < 4; ++pair) {
        pack.pairs[pair] = bf16Bits(eight.v[2 * pair]) | (bf16Bits(eight.v[2 * pair + 1]) << 16U);
    }
    return pack;
}

}  // namespace fabricast::probe
