#pragma once
#include "planner/text/json_document.h"

#include <string>
#include <string_view>

namespace fabricast {

/// What was measured of an older profile and is not in the one that would replace it, as the rest
/// of a sentence about the older one: curves of another machine, those that the newer one has not,
/// sections that it assumes, both also where it has half of the sizes or rows or less; or all of
/// it, where the newer one was measured on an earlier day. Empty: nothing. Days of the older one
/// after `today` are mistakes of a clock, and keep nothing out.
///     "loses what was measured: attention native fp32 dense (3 measurements, and then 0)"
std::string lostMeasurements(const JsonValue& older,
                             const JsonValue& newer,
                             std::string_view today);

}  // namespace fabricast
