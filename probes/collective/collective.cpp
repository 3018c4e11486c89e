#include "probes/collective/collective.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace fabricast::probe {

namespace {

constexpr std::array<std::string_view, kGroupCalls.size()> kNames = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"};

constexpr std::array<CollectiveType, 9> kTypes = {{{"int8", 1, 127, false},
                                                   {"uint8", 1, 255, false},
                                                   {"int32", 4, 1 << 24, false},
                                                   {"uint32", 4, 1 << 24, false},
                                                   {"int64", 8, 1 << 24, false},
                                                   {"half", 2, 2048, true},
                                                   {"bfloat16", 2, 256, true},
                                                   {"float", 4, 1 << 24, true},
                                                   {"double", 8, 1 << 24, true}}};

constexpr std::array<std::array<std::string_view, 2>, 4> kAliases = {
    {{"fp16", "half"}, {"bf16", "bfloat16"}, {"fp32", "float"}, {"fp64", "double"}}};

/// A small whole number as a half: its exponent, and the bits below the leading one.
std::uint64_t halfBits(std::uint32_t value) {
    if (value == 0) {
        return 0;
    }
    constexpr int kMantissa = 10;
    constexpr std::uint32_t kBias = 15;
    const auto exponent = static_cast<int>(std::bit_width(value)) - 1;
    const std::uint32_t mantissa = (value << kMantissa >> exponent) & 0x3FFU;
    return ((static_cast<std::uint32_t>(exponent) + kBias) << kMantissa) | mantissa;
}

std::uint64_t bitsOf(const CollectiveType& type, std::int64_t value) {
    if (!type.isFloat) {
        return static_cast<std::uint64_t>(value);
    }
    if (type.bytes == 8) {
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return type.bytes == 4           ? single
           : type.name == "bfloat16" ? single >> 16U
                                     : halfBits(static_cast<std::uint32_t>(value));
}

}  // namespace

std::string_view nameOf(GroupCall call) {
    return kNames[static_cast<std::size_t>(call)];
}

std::optional<GroupCall> groupCallNamed(std::string_view name) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end()
               ? std::nullopt
               : std::optional(kGroupCalls[static_cast<std::size_t>(found - kNames.begin())]);
}

std::string groupCallNames() {
    std::string text;
    for (const std::string_view name : kNames) {
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

bool isReduction(GroupCall call) {
    return call == GroupCall::AllReduce || call == GroupCall::ReduceScatter;
}

bool hasInPlace(GroupCall call) {
    return call != GroupCall::AllToAll && call != GroupCall::SendRecv;
}

double busFactor(GroupCall call, int ranks) {
    const double others = ranks - 1.0;
    switch (call) {
        case GroupCall::AllReduce:
            return 2.0 * others / ranks;
        case GroupCall::AllGather:
        case GroupCall::ReduceScatter:
        case GroupCall::AllToAll:
            return others / ranks;
        case GroupCall::Broadcast:
        case GroupCall::SendRecv:
            return 1.0;
    }
    return 1.0;
}

std::optional<CollectiveType> collectiveTypeNamed(std::string_view name) {
    for (const auto& [alias, usual] : kAliases) {
        name = name == alias ? usual : name;
    }
    const auto* const found = std::find_if(
        kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.name == name; });
    return found == kTypes.end() ? std::nullopt : std::optional(*found);
}

std::string collectiveTypeNames() {
    std::string text;
    for (const CollectiveType& type : kTypes) {
        text += (text.empty() ? "" : ", ") + std::string(type.name);
    }
    return text;
}

std::array<char, 8> encoded(const CollectiveType& type, std::int64_t value) {
    const std::uint64_t bits = bitsOf(type, value);
    std::array<char, 8> bytes{};
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        bytes[byte] = static_cast<char>(bits >> (8 * byte) & 0xFFU);
    }
    return bytes;
}

}  // namespace fabricast::probe
