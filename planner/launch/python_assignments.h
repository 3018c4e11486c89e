#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_values.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

// What a statement of a program gives to names.

/// The words that are names, with what each is given.
using NamedWords = std::vector<std::pair<std::size_t, WordSpan>>;

/// "self.name" of an attribute, else the name alone.
std::string nameBegunAt(const PythonValues& program, std::size_t at);
/// Whether a name is the first word of a statement.
bool beginsWithName(const PythonValues& program, std::size_t at);
/// Whether "a += …", "a[…] = …" or "a.update(…)" stands here.
bool isChanged(const PythonValues& program, std::size_t at);
/// "a.b += …" of another object than self.
bool isMemberChanged(const PythonValues& program, std::size_t at);
/// "a, b = 4, 2048" gives each name a value of its own; calls that give back several do not.
NamedWords pairsAt(const PythonValues& program, std::size_t at);
/// "step" and "batch" of the statement "for step, batch in …".
std::vector<std::size_t> loopedAt(const PythonValues& program, std::size_t at);
/// What "a.b = …" or "a: type = …" assigns to the name that a line begins with.
std::optional<WordSpan> assignedAt(const PythonValues& program, std::size_t at);
/// Behind the "=" of os.environ["NAME"] = …, or the default of os.environ.setdefault("NAME", …).
struct VariableSet {
    std::string path;      ///< "env NAME", or that of a usual value
    std::size_t name = 0;  ///< the word
    WordSpan value;
};
std::optional<VariableSet> variableSetAt(const PythonValues& program, std::size_t at);
/// The first word of the line.
std::size_t beginOfLine(const PythonValues& program, std::size_t at);
std::size_t endOfStatement(const PythonValues& program, std::size_t at);
/// "loss/=" of loss /= 4, which has no value of its own, and "import" of what is imported under
/// another name, with both.
std::vector<LaunchKey> statementKeys(const PythonValues& program, std::size_t at);

/// Behind the brackets that open here: of ["a"]["b"].
std::size_t behindItems(const PythonValues& program, std::size_t at);

/// "a.b" of them; empty where one of them is no text.
std::string pathOfItems(const PythonValues& program, std::size_t at);

/// Whether a line runs wherever one before it does: both stand in one block.
bool isSameBlock(const PythonValues& program, std::size_t before, std::size_t at);

}  // namespace fabricast
