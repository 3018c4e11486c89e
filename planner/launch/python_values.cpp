#include "planner/launch/python_values.h"

#include "planner/launch/launch_keys.h"
#include "planner/launch/python_arithmetic.h"
#include "planner/launch/python_branches.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

using PythonTexts = std::vector<std::string>;

/// A longer list is no setting of a training.
constexpr std::size_t kMostItems = 256;

/// Whether a launcher says it to each rank, so that its default is that of a run without one.
bool isSaidByLauncher(std::string_view name) {
    constexpr std::array<std::string_view, 8> kOfRanks = {"RANK",
                                                          "WORLD_SIZE",
                                                          "LOCAL_RANK",
                                                          "LOCAL_WORLD_SIZE",
                                                          "local_rank",
                                                          "world_size",
                                                          "global_rank",
                                                          "node_rank"};
    return name.starts_with("SLURM_") || std::ranges::find(kOfRanks, name) != kOfRanks.end();
}

}  // namespace

bool PythonValues::isSign(std::size_t at, std::string_view sign) const {
    return at < words_.size() && words_[at].kind == PythonWord::Kind::Sign &&
           words_[at].text == sign;
}

bool PythonValues::isName(std::size_t at) const {
    return at < words_.size() && words_[at].kind == PythonWord::Kind::Name;
}

bool PythonValues::isOpening(std::size_t at) const {
    return isSign(at, "(") || isSign(at, "[") || isSign(at, "{");
}

std::size_t PythonValues::endOfName(std::size_t at) const {
    while (isName(at) && isSign(at + 1, ".") && isName(at + 2)) {
        at += 2;
    }
    return at + 1;
}

std::vector<WordSpan> PythonValues::itemsIn(std::size_t bracket) const {
    std::vector<WordSpan> items;
    const std::size_t end = words_[bracket].close;
    std::size_t begin = bracket + 1;
    for (std::size_t i = begin; i <= end; ++i) {
        if (i == end || isSign(i, ",")) {
            if (i > begin) {
                items.push_back({begin, i});
            }
            begin = i + 1;
        } else if (isOpening(i)) {
            i = words_[i].close;
        }
    }
    return items;
}

void PythonValues::forgetValue(const std::string& name) {
    named_[name].isChanged = true;
}

std::vector<std::string> PythonValues::valuesOf(const WordSpan& said) const {
    const WordSpan value = chosenOf(*this, said);
    if (isBracketed(value) && !isSign(value.begin, "{")) {
        PythonTexts values;
        for (const WordSpan& item : itemsIn(value.begin)) {
            const PythonTexts some = valuesOf(item);
            values.insert(values.end(), some.begin(), some.end());
            if (values.size() > kMostItems) {
                return {"$(" + textOf(value) + ")"};
            }
        }
        return values;
    }
    const std::size_t count = value.end - value.begin;
    if (const auto known = named(value)) {
        return *known;
    }
    if (count == 1 && words_[value.begin].kind != PythonWord::Kind::Sign &&
        !words_[value.begin].isOpen) {
        return {words_[value.begin].text};
    }
    if (count == 2 && isSign(value.begin, "-") &&
        words_[value.begin + 1].kind == PythonWord::Kind::Number) {
        return {"-" + words_[value.begin + 1].text};
    }
    if (isName(value.begin) && endOfName(value.begin) == value.end) {
        const Argument* const argument = argumentOf(value);
        const auto ranks = argument == nullptr ? startedWith(value) : std::nullopt;
        return argument != nullptr ? argument->values
               : ranks             ? PythonTexts{*ranks}
                                   : memberValues(value).value_or(PythonTexts{textOf(value)});
    }
    if (const auto member = memberValues(value)) {
        return *member;
    }
    if (const auto usual = usualOf(value)) {
        return *usual;
    }
    return {arithmeticOf(*this, value).value_or("$(" + textOf(value) + ")")};
}

bool PythonValues::isDictionary(const WordSpan& value) const {
    const bool isCalled = isName(value.begin, "dict") && isSign(value.begin + 1, "(") &&
                          words_[value.begin + 1].close + 1 == value.end;
    return isCalled || (isBracketed(value) && isSign(value.begin, "{"));
}

WordSpan PythonValues::dictionaryOf(const WordSpan& value) const {
    const std::string name = nameAt(value);
    const auto found = named_.find(name);
    const bool isGiven = found != named_.end() && !found->second.given.empty() &&
                         found->second.values != PythonTexts{"$" + textOf(value)} &&
                         isDictionary(found->second.given.front());
    if (isGiven) {
        return found->second.given.front();
    }
    const auto object = isDictionary(value) ? std::nullopt : objectOf(value, 0);
    return object && isDictionary(*object) ? *object : value;
}

std::vector<PythonValues::ItemSet> PythonValues::itemsSet(const WordSpan& name) const {
    const auto found = itemsSet_.find(nameAt(name));
    return found == itemsSet_.end() ? std::vector<ItemSet>() : found->second;
}

const PythonValues::Argument* PythonValues::argumentOf(const WordSpan& value) const {
    const bool isDotted =
        value.end >= value.begin + 3 && isName(value.begin) && endOfName(value.begin) == value.end;
    if (!isDotted) {
        return nullptr;
    }
    const auto found = isParsed({value.begin, value.end - 2})
                           ? parsed_.find(words_[value.end - 1].text)
                           : parsed_.end();
    if (found != parsed_.end()) {
        return &found->second;
    }
    static const Argument kUnsaid{.values = {"null"}, .isUnsaid = true};
    const auto field = fields_.find(textOf(value));
    const bool isForeign =
        value.end == value.begin + 3 && foreign_.contains(words_[value.begin].text);
    return field != fields_.end() ? &field->second : isForeign ? &kUnsaid : nullptr;
}

std::optional<std::string> PythonValues::typed(const std::string& name) const {
    const auto found = start_.arguments.find("--" + name);
    return found == start_.arguments.end() ? std::nullopt : std::optional(found->second);
}

void PythonValues::addField(const std::string& object, const ParsedField& field) {
    const auto said = typed(field.name);
    Argument argument;
    if (said && field.isSwitch) {  // alone it is on
        const std::optional<bool> isOn = said->starts_with("$(") ? true : asSwitch(*said);
        argument.values = {!isOn ? *said : *isOn ? "True" : "False"};
    } else if (said) {
        argument.values = {*said};
    } else if (field.isSwitch && typed("no_" + field.name)) {
        argument.values = {"False"};
    } else if (field.usual) {
        argument = {.values = valuesOf(*field.usual), .usual = field.usual};
    } else {
        argument.isUnsaid = field.usualText.empty();
        argument.values = {argument.isUnsaid ? "null" : field.usualText};
    }
    fields_.insert_or_assign(object + "." + field.name, std::move(argument));
}

std::optional<WordSpan> PythonValues::defaultOf(const WordSpan& value) const {
    if (const Argument* const argument = argumentOf(value)) {
        return isSaidByLauncher(words_[value.end - 1].text) ? std::nullopt : argument->usual;
    }
    if (const auto member = memberOf(value)) {
        return member;
    }
    const std::optional<std::size_t> bracket = variableAsked(value);
    const std::vector<WordSpan> items = bracket ? itemsIn(*bracket) : std::vector<WordSpan>();
    const bool isUsual = items.size() == 2 && !startedWith(value) &&
                         !isSaidByLauncher(words_[items.front().begin].text);
    return isUsual ? std::optional(items.back()) : std::nullopt;
}

std::optional<std::string> PythonValues::startedWith(const WordSpan& value) const {
    const Argument* const argument = argumentOf(value);
    if (argument != nullptr && !argument->usual && !argument->isUnsaid &&
        argument->values.size() == 1 && !argument->values.front().starts_with("$")) {
        return argument->values.front() == "null" ? "None" : argument->values.front();
    }
    const auto name = named_.find(nameAt(value));
    if (name != named_.end() && name->second.typed) {
        return name->second.typed;
    }
    const std::optional<std::size_t> bracket = variableAsked(value);
    const std::string variable = bracket            ? words_[*bracket + 1].text
                                 : asksRanks(value) ? std::string(kRanksVariable)
                                                    : "";
    const auto set = start_.environment.find(variable);
    return set == start_.environment.end() || set->second.find('$') != std::string::npos
               ? std::nullopt
               : std::optional(set->second);
}

std::optional<std::size_t> PythonValues::variableAsked(const WordSpan& value) const {
    const std::size_t bracket = isName(value.begin) ? endOfName(value.begin) : value.end;
    const bool isOne = isOpening(bracket) && words_[bracket].close + 1 == value.end;
    const std::string name = isOne ? textOf({value.begin, bracket}) : "";
    const bool asks = isSign(bracket, "(") ? name == "os.environ.get" || name == "os.getenv"
                                           : name == "os.environ";
    return asks ? std::optional(bracket) : std::nullopt;
}

bool PythonValues::asksRanks(const WordSpan& value) const {
    const std::string called = calledBy(value);
    return (called.substr(called.rfind('.') + 1) == "get_world_size" &&
            isSign(value.end - 2, "(")) ||
           textOf(value) == "accelerator.num_processes";
}

/// Whether these words are one pair of brackets.
bool PythonValues::isBracketed(const WordSpan& value) const {
    return isOpening(value.begin) && words_[value.begin].close + 1 == value.end;
}

/// What int(…) is made of, what os.environ.get("NAME", …) is, and "not True".
std::optional<std::vector<std::string>> PythonValues::usualOf(const WordSpan& value) const {
    constexpr std::array<std::string_view, 4> kTypes = {"int", "float", "str", "bool"};
    const bool isNot = isName(value.begin, "not");
    if (const auto known = isNot ? holds(*this, value) : std::nullopt) {
        return PythonTexts{*known ? "True" : "False"};
    }
    if (const auto set = startedWith(value)) {
        return PythonTexts{*set};
    }
    const std::size_t bracket = isName(value.begin) ? endOfName(value.begin) : value.end;
    if (!isSign(bracket, "(") || words_[bracket].close + 1 != value.end) {
        return std::nullopt;
    }
    const std::string name = textOf({value.begin, bracket});
    const std::vector<WordSpan> items = itemsIn(bracket);
    for (const std::string_view type : kTypes) {
        if (name == type && items.size() == 1) {
            return valuesOf(items.front());
        }
    }
    const auto usual = defaultOf(value);
    return usual ? std::optional(valuesOf(*usual)) : std::nullopt;
}

void PythonValues::addArgument(std::size_t bracket) {
    std::string flag;
    std::string name;
    std::optional<Argument> argument;
    bool isTyped = false;
    std::string action;
    for (const WordSpan& item : itemsIn(bracket)) {
        const PythonWord& first = words_[item.begin];
        const bool isKeyword = isName(item.begin) && isSign(item.begin + 1, "=");
        const WordSpan said{item.begin + 2, item.end};
        if (first.kind == PythonWord::Kind::Text && first.text.starts_with('-')) {
            const auto typed = start_.arguments.find(first.text);
            argument = typed == start_.arguments.end() ? argument : Argument{{typed->second}};
            isTyped = isTyped || typed != start_.arguments.end();
            flag = flag.starts_with("--") ? flag : first.text;
        } else if (isKeyword && first.text == "default") {
            argument = isTyped ? argument : Argument{valuesOf(said), said};
        } else if (isKeyword && first.text == "dest") {
            name = words_[said.begin].text;
        } else if (isKeyword && first.text == "action") {
            action = words_[said.end - 1].text;
        }
    }
    if (action == "store_true" || action == "store_false") {
        const char* const untyped = action == "store_true" ? "False" : "True";
        const char* const typed = action == "store_true" ? "True" : "False";
        argument = isTyped ? Argument{{typed}} : argument.value_or(Argument{{untyped}});
    } else if (action == "BooleanOptionalAction") {
        const bool isDenied = flag.starts_with("--") && typed("no-" + flag.substr(2));
        argument = isDenied  ? Argument{{"False"}}
                   : isTyped ? Argument{{"True"}}
                             : argument.value_or(Argument{{"None"}});
    } else if (!action.empty()) {
        return;
    }
    if (!flag.starts_with("--") || !argument) {
        return;
    }
    if (name.empty()) {
        name = flag.substr(2);
        std::ranges::replace(name, '-', '_');
    }
    argument->at = bracket;
    argument->isOff = (action == "store_true" || action == "BooleanOptionalAction") &&
                      argument->values == PythonTexts{"False"} && start_.arguments.empty();
    parsed_[name] = *argument;
}

std::string PythonValues::textOf(const WordSpan& value) const {
    constexpr std::size_t kLongest = 80;
    std::string text;
    for (std::size_t i = value.begin; i < value.end && text.size() < kLongest; ++i) {
        const bool isApart = i > value.begin && words_[i].kind != PythonWord::Kind::Sign &&
                             words_[i - 1].kind != PythonWord::Kind::Sign;
        text += (isApart ? " " : "") + words_[i].text;
    }
    return text.substr(0, kLongest);
}

}  // namespace fabricast
