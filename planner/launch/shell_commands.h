#pragma once
#include "planner/launch/shell_letters.h"
#include "planner/launch/shell_variables.h"
#include "planner/launch/shell_words.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How many letters "((…))" takes with which a text begins, up to the brackets that close it; 0
/// where it begins otherwise, or never ends. Nothing in it is a redirection: "((N = 1 << 3))".
std::size_t arithmeticLength(std::string_view text);

/// The names that it gives another value, or may: "N" of "((N *= 2))".
std::vector<std::string> namesChangedBy(std::string_view arithmetic);

/// What "((NODES * 8))" comes to; nothing where a variable is not known, where it changes one, or
/// where it is more than whole numbers with + - * / % and brackets.
std::optional<std::int64_t> valueOfArithmetic(std::string_view arithmetic,
                                              const ShellVariables& variables);

/// This is what of a script may not be run: branches, loops, subshells, and what stands behind &&
/// and ||. What is set there may not be.
class ShellBranches {
public:
    /// Takes a word of the shell itself that begins a command: true where it is one, and what
    /// follows it is a command of its own.
    bool takeKeyword(const std::string& word);
    /// What ends a command; `isDoubled` of && and ||.
    void separate(char letter, bool isDoubled);
    [[nodiscard]] bool maySkip() const { return open_ > 0 || subshells_ > 0 || mayNot_; }

private:
    int open_ = 0;  ///< of if, case and loops
    int subshells_ = 0;
    bool mayNot_ = false;  ///< the command stands behind && or ||
};

/// What a variable stands for: a text, or the words of a list.
struct ShellExpansion {
    std::string text{};
    std::vector<LetterPlace> places{};  ///< of its letters, where the script gives it a value
    std::optional<std::vector<ShellWord>> list{};
    std::string mayBe{};  ///< what branches set the variable to that is not known for them
};

/// What stands behind a "$" that was taken: NAME, {NAME}, {NAME:-usual}, {NAME:+instead} or
/// {NAME[@]}. A variable that nothing sets stays "$NAME", and so does what is worked out when the
/// script runs.
ShellExpansion takeVariable(ShellLetters& letters, const ShellVariables& variables);

/// The words of a value that is not quoted.
void splitValue(const ShellWord& value, std::vector<ShellWord>& words);

/// "NAME=value" or "NAME+=value".
bool isAssignment(const std::string& word);

/// "source env.sh" and ". ./env.sh" of a script's own file: those that set up a shell, conda or
/// modules set nothing that a training is told.
bool sourcesSettings(const ShellCommand& command);

/// export, declare, typeset, local, readonly.
bool isDeclaration(const std::string& word);

/// Whether a shell takes the next word for a script: behind "bash -c", "sh -lc" and "eval".
bool isScriptNext(const ShellCommand& command);

/// What a command is given in its environment, from its word `begin` on: "NAME=value", or a
/// variable that has a value.
ShellCommand environmentOf(const ShellCommand& command,
                           std::size_t begin,
                           const ShellVariables& variables);

}  // namespace fabricast
