#pragma once
#include "planner/launch/python_values.h"

#include <cstddef>
#include <string>

namespace fabricast {

// Statements of a program that set an item of a dictionary: config["a"]["b"] = 1.

/// Behind the brackets that open here: of ["a"]["b"].
std::size_t behindItems(const PythonValues& program, std::size_t at);

/// "a.b" of them; empty where one of them is no text.
std::string pathOfItems(const PythonValues& program, std::size_t at);

/// Whether a line runs wherever one before it does: both stand in one block.
bool isSameBlock(const PythonValues& program, std::size_t before, std::size_t at);

}  // namespace fabricast
