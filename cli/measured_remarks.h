#pragma once
#include "cli/command.h"

#include <span>
#include <string>

namespace fabricast {

/// Some forms of an answer have no place for notes: those about the user's own measurements become
/// remarks where what is printed does not say them.
void remarkMeasurements(std::span<const std::string> notes, Answer& answer);

/// Once the text of the answer is known.
void addUnsaidMeasurements(Answer& answer);

}  // namespace fabricast
