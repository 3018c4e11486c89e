#pragma once
#include <cstdint>

namespace fabricast {

/// What torch's allocator of page-locked memory takes for a block: the next power of two.
constexpr std::int64_t pinnedBlock(std::int64_t bytes) {
    std::int64_t block = 1;
    while (block < bytes) {
        block *= 2;
    }
    return block;
}

}  // namespace fabricast
