#include "planner/launch/python_values.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

/// Objects in each other, and names and functions that hand them on.
constexpr int kMostObjectLevels = 8;
/// What makes an object of its arguments.
constexpr std::array<std::string_view, 8> kNamespaces = {"SimpleNamespace",
                                                         "Namespace",
                                                         "EasyDict",
                                                         "edict",
                                                         "AttrDict",
                                                         "DotMap",
                                                         "Munch",
                                                         "OmegaConf.create"};

bool isNamespace(std::string_view called) {
    const std::string_view last = called.substr(called.rfind('.') + 1);
    return std::ranges::any_of(kNamespaces,
                               [&](std::string_view one) { return one == called || one == last; });
}

}  // namespace

std::string PythonValues::calledBy(const WordSpan& value) const {
    const std::size_t bracket = isName(value.begin) ? endOfName(value.begin) : value.end;
    const bool isCall =
        bracket < value.end && isSign(bracket, "(") && words_[bracket].close + 1 == value.end;
    return isCall ? textOf({value.begin, bracket}) : "";
}

// NOLINTNEXTLINE(misc-no-recursion): kMostObjectLevels
std::optional<WordSpan> PythonValues::objectOf(WordSpan value, int level) const {
    for (; level < kMostObjectLevels && value.begin < value.end; ++level) {
        const std::string called = calledBy(value);
        if (isDictionary(value) || isNamespace(called) || classes_.contains(called)) {
            return value;
        }
        const auto returned = called.empty() ? returned_.end() : returned_.find(called);
        auto next = returned != returned_.end() ? std::optional(returned->second) : givenTo(value);
        if (!next && called.empty()) {
            next = memberOf(value, level + 1);
        }
        if (!next) {
            const bool isClass = value.end == value.begin + 1 && isName(value.begin) &&
                                 classes_.contains(words_[value.begin].text);
            return isClass ? std::optional(value) : std::nullopt;
        }
        value = *next;
    }
    return std::nullopt;
}

/// Of "name=…", or ""name": …"; nothing where it is not said, or "**more" may say it. A dictionary
/// is gone through once, however often it is asked.
std::optional<WordSpan> PythonValues::itemNamed(std::size_t bracket,
                                                const std::string& name) const {
    const auto [known, isNew] = items_.try_emplace(bracket);
    std::map<std::string, WordSpan>& items = known->second;
    const bool isText = isSign(bracket, "{");
    const std::vector<WordSpan> all = isNew ? itemsIn(bracket) : std::vector<WordSpan>();
    const bool isSpread = std::ranges::any_of(all, [this](const WordSpan& item) {
        return isSign(item.begin, "*") || isSign(item.begin, "**");
    });
    for (const WordSpan& item : isSpread ? std::vector<WordSpan>() : all) {
        const PythonWord& word = words_[item.begin];
        if (isSign(item.begin + 1, isText ? ":" : "=") &&
            (word.kind == PythonWord::Kind::Text) == isText) {
            items.insert_or_assign(word.text, WordSpan{item.begin + 2, item.end});
        }
    }
    const auto found = items.find(name);
    return found == items.end() ? std::nullopt : std::optional(found->second);
}

// NOLINTNEXTLINE(misc-no-recursion): a namespace of one dictionary
std::optional<WordSpan> PythonValues::memberIn(const WordSpan& object,
                                               const std::string& name) const {
    if (isSign(object.begin, "{")) {
        return itemNamed(object.begin, name);
    }
    const std::string called = calledBy(object);
    const auto made = classes_.find(called.empty() ? textOf(object) : called);
    const std::size_t bracket = called.empty() ? object.end : endOfName(object.begin);
    if (called.empty() && made == classes_.end()) {
        return std::nullopt;
    }
    const std::vector<WordSpan> items = called.empty() ? std::vector<WordSpan>() : itemsIn(bracket);
    if (made == classes_.end()) {
        const bool isOfOne = items.size() == 1 && isDictionary(items.front());
        return isOfOne ? memberIn(items.front(), name) : itemNamed(bracket, name);
    }
    const bool isSpread = std::ranges::any_of(items, [this](const WordSpan& item) {
        return isSign(item.begin, "*") || isSign(item.begin, "**");
    });
    const std::vector<ParsedField>& fields = made->second.fields;
    const auto field = std::ranges::find(fields, name, &ParsedField::name);
    if (isSpread || field == fields.end()) {
        return std::nullopt;
    }
    const auto place = static_cast<std::size_t>(field - fields.begin());
    if (made->second.takesFields && !called.empty()) {
        if (place < items.size() && !isSign(items[place].begin + 1, "=")) {
            return items[place];
        }
        if (const auto said = itemNamed(bracket, name)) {
            return said;
        }
    }
    return field->usual;
}

// NOLINTNEXTLINE(misc-no-recursion): kMostObjectLevels
std::optional<WordSpan> PythonValues::memberOf(const WordSpan& value, int level) const {
    if (value.end < value.begin + 3 || !isName(value.begin) || level >= kMostObjectLevels ||
        changedMembers_.contains(kAnyMember)) {
        return std::nullopt;
    }
    const std::size_t behind = std::min(endOfName(value.begin), value.end);
    WordSpan object{value.begin, behind};
    std::size_t name = value.end - 2;
    if (behind == value.end) {
        object.end -= 2;
        name = value.end - 1;
    } else if (!isSign(behind, "[") || behind + 3 != value.end ||
               words_[name].kind != PythonWord::Kind::Text || words_[name].isOpen) {
        return std::nullopt;
    }
    const std::string& member = words_[name].text;
    const auto made = changedMembers_.contains(member) ? std::nullopt : objectOf(object, level + 1);
    return made ? memberIn(*made, member) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): each is worked out once
std::optional<std::vector<std::string>> PythonValues::memberValues(const WordSpan& value) const {
    const auto member = memberOf(value);
    if (!member) {
        return std::nullopt;
    }
    const auto [known, isNew] =
        members_.emplace(member->begin, std::vector<std::string>{"$(" + textOf(value) + ")"});
    if (isNew) {  // until then it is what one that is made of itself is
        std::vector<std::string> values = valuesOf(*member);
        members_[member->begin] = std::move(values);
    }
    return members_[member->begin];
}

}  // namespace fabricast
