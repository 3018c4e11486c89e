#pragma once
#include <string_view>

namespace fabricast {

/// What a key of a layout ("tp") or a setting ("settings.kernels.loss") means, in a line; empty for
/// a key that there is not.
std::string_view meaningOf(std::string_view key);

}  // namespace fabricast
