#pragma once
#include "planner/launch/python_functions.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What field(default=…) and field(default_factory=lambda: …) of a dataclass are; other values are
/// themselves.
std::optional<WordSpan> usualOfField(const PythonValues& program, const WordSpan& value);

/// Tells the program what objects of its classes have where they are made, and what its functions
/// give back that always give back the same words.
///     class Config:          def get_config(args):
///         batch_size = 4         return {"lr": args.lr}
void nameObjects(const std::vector<PythonFunction>& functions, PythonValues& program);

}  // namespace fabricast
