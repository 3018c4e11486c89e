#pragma once
#include "planner/launch/python_branches.h"

#include <string_view>

namespace fabricast {

/// "AdamW" and "Muon" of any library: a class whose objects update weights.
bool makesOptimizer(std::string_view called);

/// Leaves out optimizers and DataLoaders that a program makes and does not use: their name is given
/// another behind them, or is not named again where that of another is.
///     opt = AdamW(weights); opt = SGD(weights)  →  the second alone
void leaveOutIdleObjects(const PythonValues& program, PythonCourse& course);

}  // namespace fabricast
