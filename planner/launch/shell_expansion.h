#pragma once
#include "planner/launch/shell_letters.h"
#include "planner/launch/shell_variables.h"
#include "planner/launch/shell_words.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What a variable stands for: a text, or the words of a list.
struct ShellExpansion {
    std::string text{};
    std::vector<LetterPlace> places{};  ///< of its letters, where the script gives it a value
    std::optional<std::vector<ShellWord>> list{};
};

/// What stands behind a "$" that was taken: NAME, {NAME}, {NAME:-usual}, {NAME:+instead} or
/// {NAME[@]}. A variable that nothing sets stays "$NAME", and so does what is worked out when the
/// script runs.
ShellExpansion takeVariable(ShellLetters& letters, const ShellVariables& variables);

/// The words of a value that is not quoted.
void splitValue(const ShellWord& value, std::vector<ShellWord>& words);

}  // namespace fabricast
