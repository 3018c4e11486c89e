#pragma once
#include "planner/launch/python_values.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace fabricast {

/// Whether a condition holds, by what the program says itself: True, None, numbers and texts, names
/// and arguments that have one such value, "not", "and", "or", "==", "!=", "is" and "<" with its
/// like between them. Nothing where it is worked out when the program runs.
///     USE_LORA = False  # "USE_LORA and not DEBUG" →  false
std::optional<bool> holds(const PythonValues& program, const WordSpan& condition);

/// What "a if c else b" is where c is known; the value itself where it is no such choice.
WordSpan chosenOf(const PythonValues& program, WordSpan value);

/// What an "if" decides, of statements or of values.
struct PythonBranch {
    WordSpan condition;
    WordSpan taken;      ///< where it holds
    WordSpan otherwise;  ///< with the "elif" behind it
};
std::vector<PythonBranch> branchesOf(const PythonValues& program);

/// Which words of a program run, as far as its own text says.
struct PythonCourse {
    std::vector<bool> isDead;
    /// By word, the condition that decides it and is not known; empty spans elsewhere.
    std::vector<WordSpan> decidedBy;

    [[nodiscard]] bool leavesOut(std::size_t at) const { return at < isDead.size() && isDead[at]; }
};
PythonCourse courseOf(const PythonValues& program);

/// Leaves out what never runs, whatever is decided: statements behind a "return" or sys.exit() of
/// their block, "x()" of "False and x()", and a function whose name is another's from there on.
void leaveOutUnreachable(const PythonValues& program, PythonCourse& course);

/// "AdamW" and "Muon" of any library: a class whose objects update weights.
bool makesOptimizer(std::string_view called);

/// Leaves out optimizers and DataLoaders that a program makes and does not use: their name is given
/// another behind them, or is not named again where that of another is.
///     opt = AdamW(weights); opt = SGD(weights)  →  the second alone
void leaveOutIdleObjects(const PythonValues& program, PythonCourse& course);

}  // namespace fabricast
