#include "planner/search/order_key.h"

namespace fabricast {

std::size_t OrderKey::Hash::operator()(const OrderKey& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    constexpr unsigned kHigh = 29;
    std::uint64_t hash =
        (std::uint64_t{key.stack} << 8U) | static_cast<std::uint64_t>(key.schedule);
    for (const std::int64_t number : {key.pp, key.vpp, key.group, key.count}) {
        hash = (hash ^ static_cast<std::uint64_t>(number)) * kOdd;
        hash ^= hash >> kHigh;
    }
    return hash;
}

}  // namespace fabricast
