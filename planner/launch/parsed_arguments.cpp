#include "planner/launch/parsed_arguments.h"

#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/python_classes.h"
#include "planner/launch/python_reading.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Classes that extend each other, and functions that hand their arguments on.
constexpr int kMostParsedLevels = 8;

/// What programs ask TrainingArguments for, as they have it where it is not typed.
constexpr std::array kUsualArguments = {std::pair("bf16", "False"),
                                        std::pair("fp16", "False"),
                                        std::pair("tf32", "null"),
                                        std::pair("gradient_checkpointing", "False"),
                                        std::pair("do_train", "False"),
                                        std::pair("do_eval", "False"),
                                        std::pair("use_cpu", "False"),
                                        std::pair("deepspeed", "null"),
                                        std::pair("resume_from_checkpoint", "null")};

class ParsedArgumentReader {
public:
    explicit ParsedArgumentReader(const PythonValues& program)
        : program_(program), words_(program.words()), functions_(functionsOf(program)) {}

    ParsedArguments read() {
        for (std::size_t i = 0; i < words_.size() && parsed_.classes.empty(); ++i) {
            if (isCalled(i, "HfArgumentParser") || isCalled(i, "TrlParser")) {
                addClasses(i + 1);
            }
        }
        for (std::size_t i = 0; i < words_.size() && !parsed_.classes.empty(); ++i) {
            if (isCalled(i, "parse_args_into_dataclasses") ||
                isCalled(i, "parse_args_and_config")) {
                nameObjects(i);
            }
        }
        nameFunctions();
        for (int level = 0; level < kMostParsedLevels && handOn(); ++level) {
        }
        return std::move(parsed_);
    }

private:
    [[nodiscard]] bool isCalled(std::size_t at, std::string_view name) const {
        return program_.isName(at, name) && program_.isSign(at + 1, "(");
    }
    [[nodiscard]] bool isEnd(std::size_t at) const {
        return words_[at].kind == PythonWord::Kind::End || program_.isSign(at, ";");
    }

    [[nodiscard]] const PythonFunction* classOf(std::string_view name) const {
        const auto found = std::ranges::find_if(functions_, [name](const PythonFunction& one) {
            return one.isClass && one.name == name;
        });
        return found == functions_.end() ? nullptr : &*found;
    }

    void addClasses(std::size_t bracket) {
        const std::vector<WordSpan> given = program_.itemsIn(bracket);
        if (given.empty()) {
            return;
        }
        const bool isKeyword = program_.isSign(given.front().begin + 1, "=");
        const std::size_t begin = given.front().begin + (isKeyword ? 2U : 0U);
        const std::vector<WordSpan> items = program_.isOpening(begin)
                                                ? program_.itemsIn(begin)
                                                : std::vector{WordSpan{begin, given.front().end}};
        for (const WordSpan& item : items) {
            ParsedClass one{.name = words_[item.end - 1].text, .base = {}, .at = item.end - 1};
            addClassFields(one.name, kMostParsedLevels, one);
            parsed_.classes.push_back(std::move(one));
        }
    }

    /// Those of the classes that it extends, and its own.
    // NOLINTNEXTLINE(misc-no-recursion): as many levels
    void addClassFields(const std::string& name, int levels, ParsedClass& one) const {
        const PythonFunction* const own = classOf(name);
        if (own == nullptr) {
            one.base = holdsTrainerArguments(name) ? name : one.base;
            return;
        }
        one.isOwn = true;
        one.at = own->at;
        const bool extends = own->bracket != 0 && levels > 0;
        for (const WordSpan& base :
             extends ? program_.itemsIn(own->bracket) : std::vector<WordSpan>()) {
            const std::string& extended = words_[base.end - 1].text;
            if (extended == name) {  // transformers.TrainingArguments, of the same name
                one.base = holdsTrainerArguments(name) ? name : one.base;
            } else {
                addClassFields(extended, levels - 1, one);
            }
        }
        std::optional<std::int64_t> column;
        for (std::size_t i = own->body.begin; i < own->body.end; ++i) {
            const bool begins = i > 0 && isEnd(i - 1) && !isEnd(i);
            column = begins && !column ? std::optional(words_[i].column) : column;
            if (begins && words_[i].column == column && program_.isName(i) &&
                program_.isSign(i + 1, ":")) {
                addField(i, one);
            }
        }
    }

    /// "name: Optional[int] = field(default=8)".
    void addField(std::size_t at, ParsedClass& one) const {
        ParsedField field{.name = words_[at].text};
        std::size_t equals = at + 2;
        while (!isEnd(equals) && !program_.isSign(equals, "=")) {
            field.isSwitch = field.isSwitch || words_[equals].text == "bool";
            if (program_.isOpening(equals)) {
                for (std::size_t i = equals; i < words_[equals].close; ++i) {
                    field.isSwitch = field.isSwitch || words_[i].text == "bool";
                }
                equals = words_[equals].close;
            }
            ++equals;
        }
        if (program_.isSign(equals, "=")) {
            std::size_t end = equals + 1;
            while (!isEnd(end)) {
                end = program_.isOpening(end) ? words_[end].close + 1 : end + 1;
            }
            field.usual = usualOfField(program_, {equals + 1, end});
        }
        std::erase_if(one.fields, [&field](const ParsedField& other) {
            return other.name == field.name;  // of a class that it extends
        });
        one.fields.push_back(std::move(field));
    }

    /// "a, b = parser.parse_args_into_dataclasses()", or "[0]" behind it.
    void nameObjects(std::size_t call) {
        std::size_t begin = call;
        while (begin > 0 && !isEnd(begin - 1)) {
            --begin;
        }
        std::vector<std::string> names;
        std::size_t i = begin;
        for (; i < call && !program_.isSign(i, "="); ++i) {
            if (program_.isName(i)) {
                names.push_back(words_[i].text);
            }
        }
        const std::size_t behind = words_[call + 1].close + 1;
        const bool isItem = program_.isSign(behind, "[") && behind + 2 == words_[behind].close;
        const std::size_t first =
            isItem && words_[behind + 1].text.size() == 1 && words_[behind + 1].text[0] >= '0'
                ? static_cast<std::size_t>(words_[behind + 1].text[0] - '0')
                : 0;
        const std::size_t count = isItem ? std::min<std::size_t>(1, names.size()) : names.size();
        for (std::size_t place = 0;
             i < call && place < count && first + place < parsed_.classes.size();
             ++place) {
            parsed_.objects.insert_or_assign(names[place], first + place);
        }
    }

    /// Names what functions call the objects that they are given; whether there is any new.
    bool handOn() {
        bool isNew = false;
        for (std::size_t i = 0; i < words_.size() && !parsed_.objects.empty(); ++i) {
            if (!program_.isName(i) || !program_.isSign(i + 1, "(")) {
                continue;
            }
            const auto [first, last] = byName_.equal_range(words_[i].text);
            for (auto function = first; function != last; ++function) {
                if (i != function->second->bracket - 1) {
                    isNew = nameParameters(*function->second, i + 1) || isNew;
                }
            }
        }
        return isNew;
    }

    /// As many of one name as a training script may have.
    void nameFunctions() {
        constexpr std::size_t kMostAlike = 16;
        for (const PythonFunction& function : functions_) {
            if (function.bracket != 0 && byName_.count(function.name) < kMostAlike) {
                byName_.emplace(function.name, &function);
            }
        }
    }

    bool nameParameters(const PythonFunction& function, std::size_t bracket) {
        const std::vector<WordSpan> parameters = program_.itemsIn(function.bracket);
        std::size_t place = function.isMethod ? 1 : 0;
        bool isNew = false;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const bool isKeyword = program_.isSign(item.begin + 1, "=");
            const std::size_t value = item.begin + (isKeyword ? 2U : 0U);
            const auto given = item.end == value + 1 ? parsed_.objects.find(words_[value].text)
                                                     : parsed_.objects.end();
            const std::size_t at = place++;
            const std::string name = isKeyword                ? words_[item.begin].text
                                     : at < parameters.size() ? words_[parameters[at].begin].text
                                                              : "";
            if (given == parsed_.objects.end() || name.empty()) {
                continue;
            }
            const auto [known, added] = parsed_.objects.emplace(name, given->second);
            isNew = isNew || added;
        }
        return isNew;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    std::vector<PythonFunction> functions_;
    std::multimap<std::string_view, const PythonFunction*> byName_;  ///< those with parameters
    ParsedArguments parsed_;
};

/// Arguments that no class of the program has: they are those of transformers' and TRL's.
std::vector<ParsedField> otherFields(const PythonValues& program, const ParsedArguments& parsed) {
    std::set<std::string> own;
    for (const ParsedClass& one : parsed.classes) {
        for (const ParsedField& field : one.fields) {
            own.insert(field.name);
        }
    }
    std::vector<ParsedField> fields;
    for (const auto& [argument, value] : program.start().arguments) {
        const std::string name = argument.starts_with("--") ? argument.substr(2) : "";
        if (!name.empty() && !own.contains(name)) {
            // Without a value it is a switch.
            fields.push_back(
                {.name = name, .isSwitch = value.starts_with("$(") || asSwitch(value).has_value()});
        }
    }
    return fields;
}

/// "a.b = …" of a Trainer's arguments, which holds whatever is typed.
std::set<std::string> fieldsSet(const PythonValues& program, const ParsedArguments& parsed) {
    std::set<std::string> set;
    const std::vector<PythonWord>& words = program.words();
    for (std::size_t i = 0; i + 3 < words.size(); ++i) {
        const bool begins = i == 0 || words[i - 1].kind == PythonWord::Kind::End;
        if (begins && program.isSign(i + 1, ".") && program.isSign(i + 3, "=") &&
            parsed.objects.contains(words[i].text)) {
            set.insert(words[i + 2].text);
        }
    }
    return set;
}

}  // namespace

ParsedArguments parsedArgumentsOf(const PythonValues& program) {
    return ParsedArgumentReader(program).read();
}

void nameFields(const ParsedArguments& parsed, PythonValues& program) {
    const std::vector<ParsedField> others = otherFields(program, parsed);
    for (const auto& [object, place] : parsed.objects) {
        const ParsedClass& one = parsed.classes[place];
        if (one.base == "TrainingArguments") {
            for (const auto& [name, usual] : kUsualArguments) {
                program.addField(object, {.name = name, .usualText = usual});
            }
        }
        const bool hasOthers = !one.isOwn || !one.base.empty();
        if (hasOthers) {
            program.addOthers(object);
        }
        for (const ParsedField& field : hasOthers ? others : std::vector<ParsedField>()) {
            program.addField(object, field);
        }
        for (const ParsedField& field : one.fields) {
            program.addField(object, field);
        }
    }
}

void addParsedArguments(const PythonValues& program,
                        const ParsedArguments& parsed,
                        LaunchKeys& keys) {
    const auto trainers = std::ranges::find_if(
        parsed.classes, [](const ParsedClass& one) { return !one.base.empty(); });
    const auto add = [&](std::string path, std::vector<std::string> values, std::size_t at) {
        const PythonWord& word = program.words()[at];
        keys.add({.path = std::move(path),
                  .values = std::move(values),
                  .line = word.line,
                  .column = word.column});
    };
    if (trainers == parsed.classes.end()) {
        return;
    }
    add(trainers->base, {trainers->base}, trainers->at);
    const std::set<std::string> set = fieldsSet(program, parsed);
    std::vector<std::string> fields;
    std::vector<std::string> otherwise;
    std::ranges::transform(
        set, std::back_inserter(otherwise), [](const std::string& name) { return "--" + name; });
    for (const ParsedClass& one : parsed.classes) {
        for (const ParsedField& field : one.fields) {
            fields.push_back("--" + field.name);
            const bool isLength = isLengthArgument("--" + field.name);
            const bool isTyped = program.typed(field.name).has_value();
            if (one.base.empty() && !isLength) {
                otherwise.push_back("--" + field.name);
            } else if (field.usual && !isTyped && !set.contains(field.name)) {
                const std::vector<std::string> values = program.valuesOf(*field.usual);
                const std::string path = one.base.empty() || isLength ? kParsedLength + field.name
                                                                      : one.base + "." + field.name;
                add(path, values, field.usual->begin);
            }
        }
    }
    add(kParsesArguments, std::move(otherwise), trainers->at);
    add(kParsedFields, std::move(fields), trainers->at);
}

bool isTypedIn(const LaunchKeys& keys) {
    return !keys.source().ends_with(".py") || keys.find(kParsesArguments) != nullptr;
}

}  // namespace fabricast
