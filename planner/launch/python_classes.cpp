#include "planner/launch/python_classes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fabricast {
namespace {

/// Classes that extend each other.
constexpr int kMostClassLevels = 8;

class ClassReader {
public:
    ClassReader(const std::vector<PythonFunction>& functions, const PythonValues& program)
        : program_(program), functions_(functions) {
        for (const PythonFunction& one : functions_) {
            const bool isNew = !one.isClass || classes_.emplace(one.name, &one).second;
            if (!isNew) {
                twice_.insert(one.name);
            }
        }
    }

    void addTo(PythonValues& program) const {
        for (const auto& [name, one] : classes_) {
            PythonClass made{.fields = {}, .takesFields = one->isDecorated};
            addFields(*one, kMostClassLevels, made);
            if (!twice_.contains(name) && !made.fields.empty()) {
                program.addClass(name, std::move(made));
            }
        }
    }

private:
    /// Those of the classes that it extends, and its own.
    // NOLINTNEXTLINE(misc-no-recursion): kMostClassLevels
    void addFields(const PythonFunction& one, int levels, PythonClass& made) const {
        const bool extends = one.bracket != 0 && levels > 0;
        for (const WordSpan& base :
             extends ? program_.itemsIn(one.bracket) : std::vector<WordSpan>()) {
            const auto found = classes_.find(program_.words()[base.end - 1].text);
            if (found != classes_.end() && found->second != &one) {
                made.takesFields = made.takesFields || found->second->isDecorated;
                addFields(*found->second, levels - 1, made);
            }
        }
        std::set<std::string> own;
        std::optional<std::int64_t> column;
        for (std::size_t i = one.body.begin; i < one.body.end; ++i) {
            const PythonWord& word = program_.words()[i];
            if (!beginsStatement(i) || word.kind == PythonWord::Kind::End) {
                continue;
            }
            column = column ? column : std::optional(word.column);
            const bool isBeside = i > 0 && program_.isSign(i - 1, ";");
            const bool isOwn = (word.column == *column || isBeside) && program_.isName(i);
            const bool isOfSelf =
                program_.isName(i, "self") && program_.isSign(i + 1, ".") && program_.isName(i + 2);
            const std::size_t name = isOfSelf ? i + 2 : i;
            const std::size_t sign = name + 1;
            if ((isOwn || isOfSelf) && (program_.isSign(sign, "=") || program_.isSign(sign, ":"))) {
                addField(name, own, made);
            }
        }
    }

    [[nodiscard]] bool beginsStatement(std::size_t at) const {
        return at == 0 || program_.words()[at - 1].kind == PythonWord::Kind::End ||
               program_.isSign(at - 1, ";");
    }

    [[nodiscard]] std::size_t endOfWords(std::size_t at, std::string_view sign) const {
        const std::vector<PythonWord>& words = program_.words();
        while (words[at].kind != PythonWord::Kind::End && !program_.isSign(at, ";") &&
               (sign.empty() || !program_.isSign(at, sign))) {
            at = program_.isOpening(at) ? words[at].close + 1 : at + 1;
        }
        return at;
    }

    /// "name: int = 4", "name = 4". One that is set twice has no value that is known.
    void addField(std::size_t at, std::set<std::string>& own, PythonClass& made) const {
        ParsedField field{.name = program_.words()[at].text};
        const std::size_t equals = endOfWords(at + 1, "=");
        const bool isFirst = own.insert(field.name).second;
        if (isFirst && program_.isSign(equals, "=")) {
            field.usual = usualOfField(program_, {equals + 1, endOfWords(equals + 1, "")});
        }
        const auto known = std::ranges::find(made.fields, field.name, &ParsedField::name);
        if (known == made.fields.end()) {
            made.fields.push_back(std::move(field));
        } else {
            *known = std::move(field);
        }
    }

    const PythonValues& program_;
    const std::vector<PythonFunction>& functions_;
    std::map<std::string, const PythonFunction*> classes_;
    std::set<std::string> twice_;
};

/// What a function always gives back; nothing where it has two ways out, or is given to others.
std::optional<WordSpan> returnedBy(const PythonValues& program, const PythonFunction& function) {
    std::optional<WordSpan> value;
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
        if (program.isName(i, "def") || program.isName(i, "lambda") || program.isName(i, "yield") ||
            (program.isName(i, "return") && value)) {
            return std::nullopt;
        }
        if (program.isName(i, "return")) {
            std::size_t end = i + 1;
            while (program.words()[end].kind != PythonWord::Kind::End) {
                end = program.isOpening(end) ? program.words()[end].close + 1 : end + 1;
            }
            value = WordSpan{i + 1, end};
        }
    }
    return value && value->begin < value->end ? value : std::nullopt;
}

}  // namespace

std::optional<WordSpan> usualOfField(const PythonValues& program, const WordSpan& value) {
    const std::vector<PythonWord>& words = program.words();
    const std::size_t bracket =
        program.isName(value.begin) ? program.endOfName(value.begin) : value.begin;
    if (words[bracket - 1].text != "field" || !program.isSign(bracket, "(")) {
        return value;
    }
    for (const WordSpan& item : program.itemsIn(bracket)) {
        const bool isMade =
            words[item.begin].text == "default_factory" && words[item.begin + 2].text == "lambda";
        if (words[item.begin].text == "default") {
            return WordSpan{item.begin + 2, item.end};
        }
        if (isMade && program.isSign(item.begin + 3, ":")) {
            return WordSpan{item.begin + 4, item.end};
        }
    }
    return std::nullopt;
}

void nameObjects(const std::vector<PythonFunction>& functions, PythonValues& program) {
    ClassReader(functions, program).addTo(program);
    std::map<std::string, int> count;
    for (const PythonFunction& one : functions) {
        ++count[one.name];
    }
    for (const PythonFunction& one : functions) {
        const bool isPlain = !one.isClass && !one.isMethod && !one.isDecorated;
        const auto value =
            isPlain && count[one.name] == 1 ? returnedBy(program, one) : std::nullopt;
        if (value) {
            program.addReturned(one.name, *value);
        }
    }
}

}  // namespace fabricast
