#pragma once
#include "planner/launch/python_branches.h"
#include "planner/launch/python_values.h"

#include <vector>

namespace fabricast {

/// What the program's functions are called with, as far as its own text says: of each parameter
/// what the calls give, or its default. What runs counts alone.
///     def build(name, lora=False): …
///     model = build("a/b")    →  name is "a/b", lora is False
std::vector<PythonScope> scopesOf(const PythonValues& program, const PythonCourse& course);

/// "fire.Fire" and its like, which call the function that they are given with what is typed.
bool startsByArguments(std::string_view called);

}  // namespace fabricast
