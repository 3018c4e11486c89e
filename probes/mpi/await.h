#pragma once
#include <functional>

namespace fabricast::probe {

/// Looks until something is there: without pause for the first microseconds, then sleeping ever
/// longer between two looks.
void await(const std::function<bool()>& there);

}  // namespace fabricast::probe
