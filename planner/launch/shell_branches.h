#pragma once
#include <string>

namespace fabricast {

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

}  // namespace fabricast
