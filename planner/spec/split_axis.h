#pragma once
#include "planner/spec/layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {

/// The first of tp, pp and cp that splits the model or its sequences, by its key.
inline std::optional<std::string> splitAxis(const Layout& layout) {
    const std::pair<const char*, std::int64_t> axes[] = {
        {"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}};
    for (const auto& [axis, ranks] : axes) {
        if (ranks > 1) {
            return axis;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
