#include "planner/launch/python_scopes.h"

#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// A parameter: "name", "name: str", "name: str = value".
struct ScopeParameter {
    std::string name;
    std::optional<WordSpan> usual{};
};

/// How functions are called.
class ScopeReader {
public:
    ScopeReader(const PythonValues& program, const PythonCourse& course)
        : program_(program), words_(program.words()), functions_(functionsOf(program)) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool isDead = course.leavesOut(i);
            if (program.isName(i) && !isDead) {
                places_[words_[i].text].push_back(i);
            }
        }
        for (const PythonFunction& one : functions_) {
            ++count_[one.name];
        }
    }

    std::vector<PythonScope> read() {
        std::vector<PythonScope> scopes;
        const PythonFunction* owner = nullptr;
        for (const PythonFunction& one : functions_) {
            owner = one.isClass ? &one : owner;
            if (!one.isClass && one.bracket != 0) {
                scopes.push_back(scopeOf(one, one.isMethod ? owner : nullptr));
            }
        }
        return scopes;
    }

private:
    PythonScope scopeOf(const PythonFunction& function, const PythonFunction* owner) {
        PythonScope scope{.body = function.body};
        const std::vector<ScopeParameter> parameters = parametersOf(function);
        const auto brackets = function.isDecorated ? std::nullopt : callsOf(function, owner);
        for (const ScopeParameter& one : parameters) {
            scope.bound.emplace(one.name, std::vector<WordSpan>());
        }
        if (starts(function)) {
            bindTyped(parameters, scope);
        }
        for (const std::size_t bracket : brackets.value_or(std::vector<std::size_t>())) {
            if (!bind(parameters, bracket, scope)) {
                for (auto& [name, values] : scope.bound) {
                    values.clear();
                }
                break;
            }
        }
        return scope;
    }

    /// Without "self". "*args" and "**more" have no value that is known.
    [[nodiscard]] std::vector<ScopeParameter> parametersOf(const PythonFunction& function) const {
        std::vector<ScopeParameter> parameters;
        for (const WordSpan& item : program_.itemsIn(function.bracket)) {
            const bool isSelf =
                program_.isName(item.begin, "self") || program_.isName(item.begin, "cls");
            if (!program_.isName(item.begin) || (function.isMethod && isSelf)) {
                continue;
            }
            ScopeParameter one{.name = words_[item.begin].text};
            for (std::size_t i = item.begin; i < item.end && !one.usual; ++i) {
                if (program_.isSign(i, "=")) {
                    one.usual = WordSpan{i + 1, item.end};
                }
                i = program_.isOpening(i) ? words_[i].close : i;
            }
            parameters.push_back(std::move(one));
        }
        return parameters;
    }

    /// The brackets of all calls; nothing where the function is given to others, who call it.
    std::optional<std::vector<std::size_t>> callsOf(const PythonFunction& function,
                                                    const PythonFunction* owner) {
        const bool isMaker = owner != nullptr && function.name == "__init__";
        const std::string& name = isMaker ? owner->name : function.name;
        const bool isSame = count_[name] > 1;  // two of that name: which of them is not known
        std::vector<std::size_t> brackets;
        for (const std::size_t at : places_[name]) {
            const bool defines =
                at > 0 && (program_.isName(at - 1, "def") || program_.isName(at - 1, "class"));
            const bool isOfObject = at > 0 && program_.isSign(at - 1, ".");
            const bool isOfSelf = isOfObject && at > 1 && program_.isName(at - 2, "self");
            if (defines || isStarted(at) || (isOfObject && (owner == nullptr || isMaker))) {
                continue;
            }
            if (isSame || !program_.isSign(at + 1, "(") || (isOfObject && !isOfSelf)) {
                return std::nullopt;
            }
            brackets.push_back(at + 1);
        }
        return brackets;
    }

    /// "fire.Fire(main)", of this name.
    [[nodiscard]] bool isStarted(std::size_t at) const {
        std::size_t first = at < 2 || !program_.isSign(at - 1, "(") ? at : at - 2;
        while (first >= 2 && program_.isSign(first - 1, ".") && program_.isName(first - 2)) {
            first -= 2;
        }
        return first < at && startsByArguments(program_.textOf({first, at - 1}));
    }

    [[nodiscard]] bool starts(const PythonFunction& function) const {
        const auto found = places_.find(function.name);
        return found != places_.end() && !function.isMethod &&
               std::ranges::any_of(found->second, [this](std::size_t at) { return isStarted(at); });
    }

    /// What is typed for each parameter, or else what it is without.
    void bindTyped(const std::vector<ScopeParameter>& parameters, PythonScope& scope) const {
        for (const ScopeParameter& one : parameters) {
            std::string hyphened = one.name;
            std::ranges::replace(hyphened, '_', '-');
            const auto typed = program_.typed(one.name);
            const auto said = typed ? typed : program_.typed(hyphened);
            const bool isOff = program_.typed("no" + one.name) || program_.typed("no-" + hyphened);
            if (said || isOff) {
                const bool isAlone = said && said->starts_with("$(--");
                scope.typed.emplace(one.name, isOff ? "False" : isAlone ? "True" : *said);
            } else if (one.usual) {
                scope.bound[one.name].push_back(*one.usual);
            }
        }
    }

    /// Whether each argument of a call belongs to a parameter.
    bool bind(const std::vector<ScopeParameter>& parameters,
              std::size_t bracket,
              PythonScope& scope) const {
        std::map<std::string, WordSpan> given;
        std::size_t place = 0;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const bool isKeyword =
                program_.isName(item.begin) && program_.isSign(item.begin + 1, "=");
            const bool isSpread =
                program_.isSign(item.begin, "*") || program_.isSign(item.begin, "**");
            if (isSpread || (!isKeyword && place >= parameters.size())) {
                return false;
            }
            const std::string& name =
                isKeyword ? words_[item.begin].text : parameters[place++].name;
            given.insert_or_assign(name, WordSpan{item.begin + (isKeyword ? 2U : 0U), item.end});
        }
        for (const ScopeParameter& one : parameters) {
            const auto found = given.find(one.name);
            if (found != given.end()) {
                scope.bound[one.name].push_back(found->second);
            } else if (one.usual) {
                scope.bound[one.name].push_back(*one.usual);
            }
        }
        return true;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    std::vector<PythonFunction> functions_;
    std::map<std::string, std::vector<std::size_t>> places_;  ///< of names that run
    std::map<std::string, int> count_;                        ///< of functions of a name
};

}  // namespace

bool startsByArguments(std::string_view called) {
    constexpr std::array<std::string_view, 6> kStarters = {
        "fire.Fire", "Fire", "typer.run", "tyro.cli", "CLI", "jsonargparse.CLI"};
    return std::ranges::find(kStarters, called) != kStarters.end();
}

std::vector<PythonScope> scopesOf(const PythonValues& program, const PythonCourse& course) {
    return ScopeReader(program, course).read();
}

}  // namespace fabricast
