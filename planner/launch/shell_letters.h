#pragma once
#include "planner/launch/shell_words.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// This is a script that is read once, from its first letter to its last, with the place of each.
///     while (!letters.isEnd()) { text += letters.take(); }
class ShellLetters {
public:
    explicit ShellLetters(std::string_view script) : script_(script) {}
    /// A word of another script, whose letters stand where they are written there.
    ShellLetters(std::string_view script, std::vector<LetterPlace> places)
        : script_(script), places_(std::move(places)) {
        moveTo(0);
    }

    [[nodiscard]] bool isEnd() const { return at_ >= script_.size(); }
    [[nodiscard]] char next() const { return isEnd() ? '\0' : script_[at_]; }
    /// The one that was taken last.
    [[nodiscard]] char last() const { return at_ == 0 ? '\0' : script_[at_ - 1]; }
    [[nodiscard]] std::string_view rest() const { return script_.substr(at_); }
    [[nodiscard]] LetterPlace place() const { return place_; }

    char take();
    /// So many letters.
    std::string taken(std::size_t length);

private:
    void moveTo(std::size_t letter);

    std::string_view script_;
    std::vector<LetterPlace> places_;
    std::size_t at_ = 0;
    LetterPlace place_;
};

/// Whether a letter parts a word from what follows it.
bool endsShellWord(char letter);

/// The words of the comment that begins here, where it is one that Slurm reads: #SBATCH begins a
/// line.
ShellCommand takeBatchWords(ShellLetters& letters);

/// "> file", ">&1" and "<<END" are no words of a command. What ends the text that begins with the
/// next line; empty where none does.
std::string takeRedirection(ShellLetters& letters);

/// The lines up to one that says `end`.
void skipHeredoc(ShellLetters& letters, const std::string& end);

}  // namespace fabricast
