#pragma once
#include "planner/base/result.h"
#include "planner/stack/stack.h"

#include <functional>

namespace fabricast {

/// A stack as somebody wants it used: its settings for any layout, with what was said over them.
/// Of the layout they depend on the sharding, on whether there is data parallelism, and on the
/// pipeline.
struct StackSettings {
    const Stack* stack = nullptr;
    std::function<Result<Settings>(const Layout&)> settingsFor;
};

}  // namespace fabricast
