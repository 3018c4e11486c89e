#pragma once
#include "planner/launch/python_branches.h"
#include "planner/launch/python_values.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace fabricast {

/// What the program's functions are called with, as far as its own text says: of each parameter
/// what the calls give, or its default. What runs counts alone.
///     def build(name, lora=False): …
///     model = build("a/b")    →  name is "a/b", lora is False
std::vector<PythonScope> scopesOf(const PythonValues& program, const PythonCourse& course);

/// "fire.Fire" and its like, which call the function that they are given with what is typed.
bool startsByArguments(std::string_view called);

/// The heads of the loops that a word stands in, and of the comprehension whose value it is in:
/// what stands behind "for", up to the colon or the end of the bracket.
///     for i, layer in enumerate(layers):
///         shard(layer)                    →  "i, layer in enumerate(layers)"
std::vector<WordSpan> loopHeadsAround(const PythonValues& program, std::size_t at);

/// Whether a loop gives this name its values.
bool bindsName(const PythonValues& program, const WordSpan& head, std::string_view name);

}  // namespace fabricast
