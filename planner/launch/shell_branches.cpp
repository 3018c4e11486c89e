#include "planner/launch/shell_commands.h"

#include <algorithm>

namespace fabricast {

bool ShellBranches::takeKeyword(const std::string& word) {
    if (word == "if" || word == "case" || word == "for" || word == "while" || word == "until") {
        ++open_;
        return word != "case" && word != "for";
    }
    if (word == "fi" || word == "esac" || word == "done") {
        open_ = std::max(0, open_ - 1);
        return true;
    }
    return word == "then" || word == "do" || word == "else" || word == "elif" || word == "exec" ||
           word == "{" || word == "}";
}

void ShellBranches::separate(char letter, bool isDoubled) {
    mayNot_ = isDoubled;
    subshells_ += letter == '(' ? 1 : letter == ')' && subshells_ > 0 ? -1 : 0;
}

}  // namespace fabricast
