#pragma once
#include "planner/launch/shell_words.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast {

/// A value, and where its letters stand; no places where nobody kept them.
struct ShellValue {
    std::string text;
    std::vector<LetterPlace> places{};
};

/// What a script's variables and lists are so far, and of a script within a script those around it.
/// One that is set in a branch has no value that is known.
class ShellVariables {
public:
    explicit ShellVariables(const ShellVariables* outer = nullptr) : outer_(outer) {}

    [[nodiscard]] const std::string* valueOf(const std::string& name) const;
    [[nodiscard]] const ShellValue* placedValueOf(const std::string& name) const;
    [[nodiscard]] const std::vector<ShellWord>* listOf(const std::string& name) const;
    /// Whether what it is depends on a branch.
    [[nodiscard]] bool isOpen(const std::string& name) const;

    /// All that branches set it to: "--bf16 --fp16" of two.
    [[nodiscard]] std::string openValues(const std::string& name) const;

    /// A word of an assignment: "A=4", "A+=4".
    void assign(const ShellWord& word, bool isInBranch);
    /// A list, or more of it ("A+=(…)").
    void setList(const std::string& name, std::vector<ShellWord> words, bool adds, bool isInBranch);
    void unset(const std::string& name) { inBranches_.insert(name); }
    /// Another file, which is not read, may have set any of them.
    void takeSourced() { isSourced_ = true; }
    [[nodiscard]] bool isSourced() const {
        return isSourced_ || (outer_ != nullptr && outer_->isSourced());
    }

    /// "A" of "A=4"; empty where the word assigns nothing.
    static std::string assignedName(const std::string& word);
    static bool isNameLetter(char letter);

private:
    const ShellVariables* outer_ = nullptr;
    bool isSourced_ = false;
    std::set<std::string> inBranches_;
    std::map<std::string, std::string> openValues_;
    std::map<std::string, ShellValue> values_;
    std::map<std::string, std::vector<ShellWord>> lists_;
};

}  // namespace fabricast
