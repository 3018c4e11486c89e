#pragma once
#include "cli/command.h"

#include <span>
#include <string>

namespace fabricast {

/// Rows of numbers have no place for notes: those about the user's own measurements become remarks
/// of an answer that is printed as CSV.
void remarkMeasurements(std::span<const std::string> notes, Format format, Answer& answer);

}  // namespace fabricast
