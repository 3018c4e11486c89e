#include "planner/spec/check_settings.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace fabricast {

namespace {

constexpr std::int64_t kLeastMaxSplitMb = 20;  // a segment of PyTorch's large pool

}  // namespace

Result<void> checkAllocator(const Settings& settings) {
    if (settings.maxSplitMb > 0 && settings.maxSplitMb < kLeastMaxSplitMb) {
        return fail(Error::Code::BadInput,
                    "settings.max_split_size_mb",
                    "PyTorch's allocator refuses less than 20",
                    "20 or more, or 0: no limit");
    }
    if (!std::has_single_bit(
            static_cast<std::uint64_t>(std::max<std::int64_t>(settings.roundupDivisions, 1)))) {
        return fail(Error::Code::BadInput,
                    "settings.roundup_power2_divisions",
                    "PyTorch's allocator takes powers of two",
                    "2, 4, 8 or 16, or 0: sizes are rounded to 512 bytes");
    }
    return {};
}

}  // namespace fabricast
