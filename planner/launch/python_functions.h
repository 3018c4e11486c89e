#pragma once
#include "planner/launch/python_branches.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// A "def" of a program, or a "class".
struct PythonFunction {
    std::string name;
    std::size_t at = 0;       ///< the word "def" or "class"
    std::size_t bracket = 0;  ///< of its parameters; 0 where it has none
    WordSpan body;
    bool isClass = false;
    bool isMethod = false;     ///< of a class, which others may call by its name
    bool isDecorated = false;  ///< what decorates it may call it
};

/// In the order of the text; one may stand in another.
std::vector<PythonFunction> functionsOf(const PythonValues& program);

/// The first line behind `at` that is no deeper than the column: where a body of that column ends.
std::size_t endOfBody(const PythonValues& program, std::size_t at, std::int64_t column);

/// Whether the program has a class of that name that extends no other.
bool isPlainClass(const PythonValues& program,
                  const std::vector<PythonFunction>& functions,
                  const std::string& name);

/// Leaves out what stands in functions that nothing calls: "def add_lora(model)" beside a training
/// without. Where nothing else trains, somebody who imports the program calls them, and they count.
void leaveOutUncalled(const PythonValues& program, PythonCourse& course);

}  // namespace fabricast
