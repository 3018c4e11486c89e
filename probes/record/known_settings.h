#pragma once
#include "probes/record/answer.h"
#include "probes/record/point.h"

#include <string_view>

namespace fabricast::probe {

/// Trouble where a program measures no such thing, or with the first setting that it does not have.
///     onlyKnownSettings("fabricast-probe-host", point)
Done onlyKnownSettings(std::string_view program, const Point& point);

}  // namespace fabricast::probe
