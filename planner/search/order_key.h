#pragma once
#include "planner/spec/layout.h"

#include <cstddef>
#include <cstdint>

namespace fabricast {

/// What tells the orders of pipelines apart, with the stack that has them.
struct OrderKey {
    std::uint32_t stack = 0;
    ScheduleKind schedule = ScheduleKind::None;
    std::int64_t pp = 1;
    std::int64_t vpp = 1;
    std::int64_t group = 0;
    std::int64_t count = 0;  ///< of microbatches, as far as the order tells them apart

    friend bool operator==(const OrderKey&, const OrderKey&) = default;
    struct Hash {
        std::size_t operator()(const OrderKey& key) const;
    };
};

}  // namespace fabricast
