#pragma once
#include "planner/launch/python_branches.h"

namespace fabricast {

/// Leaves out what never runs, whatever is decided: statements behind a "return" or sys.exit() of
/// their block, "x()" of "False and x()", and a function whose name is another's from there on.
void leaveOutUnreachable(const PythonValues& program, PythonCourse& course);

}  // namespace fabricast
