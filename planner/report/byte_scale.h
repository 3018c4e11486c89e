#pragma once
#include "planner/base/units.h"

#include <string>
#include <string_view>

namespace fabricast {

/// One unit for all the numbers of a table, so that they can be compared at a glance.
///     const ByteScale scale = byteScaleFor(peak);
///     scale.text(weights)  ->  "14.96"    scale.unit  ->  "GiB"
struct ByteScale {
    std::string_view unit;
    double bytes = 1;

    /// Two decimals.
    [[nodiscard]] std::string text(Bytes size) const;
};

/// The largest of B, KiB, MiB and GiB in which this size is at least 1.
ByteScale byteScaleFor(Bytes largest);

}  // namespace fabricast
