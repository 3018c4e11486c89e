#pragma once
#include <fmt/format.h>

#include <string>

namespace fabricast {

/// "12.3 %"
inline std::string percentText(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

}  // namespace fabricast
