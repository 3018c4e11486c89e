#pragma once
#include "planner/launch/python_values.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace fabricast {

/// The heads of the loops that a word stands in, and of the comprehension whose value it is in:
/// what stands behind "for", up to the colon or the end of the bracket.
///     for i, layer in enumerate(layers):
///         shard(layer)                    →  "i, layer in enumerate(layers)"
std::vector<WordSpan> loopHeadsAround(const PythonValues& program, std::size_t at);

/// Whether a loop gives this name its values.
bool bindsName(const PythonValues& program, const WordSpan& head, std::string_view name);

}  // namespace fabricast
