#include "planner/launch/shell_variables.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>

namespace fabricast {

const std::string* ShellVariables::valueOf(const std::string& name) const {
    const ShellValue* const known = placedValueOf(name);
    return known == nullptr ? nullptr : &known->text;
}

const ShellValue* ShellVariables::placedValueOf(const std::string& name) const {
    const auto known = values_.find(name);
    return known != values_.end() ? &known->second
           : outer_ != nullptr    ? outer_->placedValueOf(name)
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

std::string ShellVariables::openValues(const std::string& name) const {
    const auto known = openValues_.find(name);
    return known != openValues_.end() ? known->second
           : outer_ != nullptr        ? outer_->openValues(name)
                                      : "";
}

void ShellVariables::assign(const ShellWord& word, bool isInBranch) {
    const std::string name = assignedName(word.text);
    const std::size_t equals = word.text.find('=');
    const bool adds = equals > name.size();
    const ShellValue* const before = adds ? placedValueOf(name) : nullptr;
    ShellValue& value = values_[name];
    if (before != &value) {
        value = before == nullptr ? ShellValue{} : *before;
    }
    const bool isPlaced =
        word.places.size() == word.text.size() && value.places.size() == value.text.size();
    value.text += word.text.substr(equals + 1);
    if (isPlaced) {
        value.places.insert(value.places.end(),
                            word.places.begin() + static_cast<std::ptrdiff_t>(equals) + 1,
                            word.places.end());
    } else {
        value.places.clear();
    }
    if (isInBranch) {
        inBranches_.insert(name);
        openValues_[name] += " " + word.text.substr(equals + 1);
    } else if (!adds) {
        inBranches_.erase(name);
        openValues_.erase(name);
    }
}

void ShellVariables::setList(const std::string& name,
                             std::vector<ShellWord> words,
                             bool adds,
                             bool isInBranch) {
    const std::vector<ShellWord>* const before = adds ? listOf(name) : nullptr;
    std::vector<ShellWord>& list = lists_[name];
    if (before != &list) {
        list = before == nullptr ? std::vector<ShellWord>() : *before;
    }
    list.insert(
        list.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
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
