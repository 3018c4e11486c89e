#include "planner/report/scales.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace fabricast {

std::string ByteScale::text(Bytes size) const {
    return fmt::format("{:.2f}", static_cast<double>(size.count()) / bytes);
}

ByteScale byteScaleFor(Bytes largest) {
    constexpr std::array kScales = {ByteScale{"GiB", 1024.0 * 1024.0 * 1024.0},
                                    ByteScale{"MiB", 1024.0 * 1024.0},
                                    ByteScale{"KiB", 1024.0}};
    for (const ByteScale& scale : kScales) {
        if (static_cast<double>(largest.count()) >= scale.bytes) {
            return scale;
        }
    }
    return {"B", 1.0};
}

}  // namespace fabricast
