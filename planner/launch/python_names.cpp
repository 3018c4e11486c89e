#include "planner/launch/python_values.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Functions that hand on what they are given, and names for names: more than a program has.
constexpr int kMostSettlings = 12;
constexpr int kMostObjects = 4;
/// Values of one name.
constexpr std::size_t kMostGiven = 64;

}  // namespace

void PythonValues::enterScopes(const std::vector<PythonScope>& scopes) {
    scopes_ = scopes;
    scopeAt_.assign(words_.size(), kNoScope);
    around_.clear();
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
        const WordSpan& body = scopes_[i].body;
        around_.push_back(body.begin < words_.size() ? scopeAt_[body.begin] : kNoScope);
        std::fill(scopeAt_.begin() + static_cast<std::ptrdiff_t>(body.begin),
                  scopeAt_.begin() + static_cast<std::ptrdiff_t>(body.end),
                  i);
    }
}

std::string PythonValues::nameAt(const WordSpan& value) const {
    const std::size_t count = value.end - value.begin;
    if (!isName(value.begin) || (count != 1 && count != 3)) {
        return "";
    }
    const std::string& name = words_[value.begin].text;
    if (count == 3) {
        const bool isOfSelf =
            name == "self" && isSign(value.begin + 1, ".") && isName(value.begin + 2);
        return isOfSelf ? "self." + words_[value.begin + 2].text : "";
    }
    std::size_t scope = value.begin < scopeAt_.size() ? scopeAt_[value.begin] : kNoScope;
    while (scope != kNoScope && !scopes_[scope].bound.contains(name)) {
        scope = around_[scope];
    }
    if (scope == kNoScope) {
        return name;
    }
    const WordSpan& body = scopes_[scope].body;
    const auto own = named_.find(name);
    const bool isSetInside =
        own != named_.end() && (own->second.given.size() > kMostGiven ||
                                std::ranges::any_of(own->second.given, [&](const WordSpan& one) {
                                    return one.begin >= body.begin && one.begin < body.end;
                                }));
    return isSetInside ? name : name + " of " + std::to_string(scope);
}

std::optional<std::vector<std::string>> PythonValues::named(const WordSpan& value) const {
    const std::string name = nameAt(value);
    if (name.empty()) {
        return std::nullopt;
    }
    if (name == "None") {
        return std::vector<std::string>{"null"};
    }
    const auto found = named_.find(name);
    const bool isKnown =
        found != named_.end() && found->second.values &&
        (found->second.isChanged || found->second.typed || !found->second.given.empty());
    return isKnown ? *found->second.values : std::vector<std::string>{textOf(value)};
}

std::optional<std::vector<std::string>> PythonValues::commonValues(const Named& one) const {
    std::optional<std::vector<std::string>> values;
    if (one.typed) {
        return std::vector<std::string>{*one.typed};
    }
    for (const WordSpan& span : one.given) {
        std::vector<std::string> some = valuesOf(span);
        if (one.isChanged || (values && some != *values)) {
            return std::nullopt;
        }
        values = std::move(some);
    }
    return values;
}

void PythonValues::settle() {
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
        for (const auto& [name, values] : scopes_[i].bound) {
            named_[name + " of " + std::to_string(i)].given = values;
        }
        for (const auto& [name, typed] : scopes_[i].typed) {
            named_[name + " of " + std::to_string(i)].typed = typed;
        }
    }
    std::vector<std::pair<std::size_t, std::string>> order;  // a name is used behind its value
    for (const auto& [name, one] : named_) {
        order.emplace_back(one.given.empty() ? 0 : one.given.front().begin, name);
    }
    std::ranges::sort(order);
    bool isNew = true;
    for (int round = 0; round < kMostSettlings && isNew; ++round) {
        isNew = false;
        members_.clear();
        for (auto& [name, argument] : parsed_) {
            argument.values = argument.usual ? valuesOf(*argument.usual) : argument.values;
        }
        for (const auto& [place, name] : order) {
            Named& one = named_[name];
            std::vector<std::string> values = commonValues(one).value_or(
                std::vector<std::string>{"$" + name.substr(0, name.find(' '))});
            isNew = isNew || values != one.values;
            one.values = std::move(values);
        }
    }
    members_.clear();
}

std::optional<WordSpan> PythonValues::givenTo(const WordSpan& value) const {
    const std::string name = nameAt(value);
    const auto found = name.empty() ? named_.end() : named_.find(name);
    const bool isKnown = found != named_.end() && !found->second.given.empty() &&
                         found->second.values != std::vector<std::string>{"$" + textOf(value)};
    return isKnown ? std::optional(found->second.given.front()) : std::nullopt;
}

bool PythonValues::isParsed(const WordSpan& object) const {
    std::optional<WordSpan> one = object;
    for (int i = 0; i < kMostObjects && one; ++i) {
        const std::size_t bracket = isName(one->begin) ? endOfName(one->begin) : one->end;
        const bool isCall = isSign(bracket, "(") && words_[bracket].close + 1 == one->end;
        if (isCall || parsedBy_.contains(textOf(*one))) {
            return !isCall || parsers_.contains(words_[bracket - 1].text);
        }
        one = givenTo(*one);
    }
    return false;
}

}  // namespace fabricast
