#include "planner/launch/shell_variables.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fabricast {

const std::string* ShellVariables::valueOf(const std::string& name) const {
    const auto known = values_.find(name);
    return known != values_.end() ? &known->second
           : outer_ != nullptr    ? outer_->valueOf(name)
                                  : nullptr;
}

const std::vector<ShellWord>* ShellVariables::listOf(const std::string& name) const {
    const auto known = lists_.find(name);
    return known != lists_.end() ? &known->second
           : outer_ != nullptr   ? outer_->listOf(name)
                                 : nullptr;
}

bool ShellVariables::isOpen(const std::string& name) const {
    const bool isHere = values_.contains(name) || lists_.contains(name);
    return inBranches_.contains(name) || (!isHere && outer_ != nullptr && outer_->isOpen(name));
}

void ShellVariables::assign(const std::string& word, bool isInBranch) {
    const std::string name = assignedName(word);
    const std::size_t equals = word.find('=');
    const bool adds = equals > name.size();
    const std::string* const before = adds ? valueOf(name) : nullptr;
    std::string value = (before == nullptr ? "" : *before) + word.substr(equals + 1);
    values_[name] = std::move(value);
    if (isInBranch) {
        inBranches_.insert(name);
    } else if (!adds) {
        inBranches_.erase(name);
    }
}

void ShellVariables::setList(const std::string& name,
                             std::vector<ShellWord> words,
                             bool isInBranch) {
    lists_[name] = std::move(words);
    if (isInBranch) {
        inBranches_.insert(name);
    }
}

std::string ShellVariables::assignedName(const std::string& word) {
    const std::size_t equals = word.find('=');
    const bool adds = equals != std::string::npos && equals > 0 && word[equals - 1] == '+';
    const std::string name =
        equals == std::string::npos ? "" : word.substr(0, equals - (adds ? 1 : 0));
    return std::ranges::all_of(name, isNameLetter) ? name : "";
}

bool ShellVariables::isNameLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace fabricast
