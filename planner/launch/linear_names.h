#pragma once
#include "planner/launch/python_functions.h"
#include "planner/launch/python_values.h"

#include <string>
#include <vector>

namespace fabricast {

/// Whether a value is what a function of the program gives back that goes through the modules of a
/// model for the names of its linear layers, as QLoRA's find_all_linear_names does:
///     "$(find_all_linear_names(model))"
bool findsAllLinears(const PythonValues& program,
                     const std::vector<PythonFunction>& functions,
                     const std::vector<std::string>& values);

}  // namespace fabricast
