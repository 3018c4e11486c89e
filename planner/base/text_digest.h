#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// Sixteen digits that tell a text from what it was before somebody changed it (FNV-1a). They are
/// no protection against somebody who looks for another text with the same digits.
inline std::string textDigest(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    constexpr std::uint64_t kPrime = 0x100000001b3;
    constexpr int kBitsOfDigit = 4;
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
    }
    std::string digits(2 * sizeof(hash), '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        *digit = kDigits[hash % kDigits.size()];
        hash >>= kBitsOfDigit;
    }
    return digits;
}

}  // namespace fabricast
