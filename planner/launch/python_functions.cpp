#include "planner/launch/python_functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace fabricast {
namespace {

/// Functions that only uncalled ones call, which others call, and so on: more than a program has.
constexpr int kMostRounds = 16;

bool beginsLine(const PythonValues& program, std::size_t at) {
    return at == 0 || program.words()[at - 1].kind == PythonWord::Kind::End;
}

/// Where the function's line begins: "async def" begins with another word.
std::size_t lineOf(const PythonValues& program, std::size_t at) {
    return at > 0 && program.isName(at - 1, "async") ? at - 1 : at;
}

PythonFunction functionAt(const PythonValues& program, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    PythonFunction function{.name = words[at + 1].text,
                            .at = at,
                            .bracket = program.isSign(at + 2, "(") ? at + 2 : 0,
                            .body = {},
                            .isClass = words[at].text == "class"};
    std::size_t colon = at + 2;
    while (colon < words.size() && words[colon].kind != PythonWord::Kind::End &&
           !program.isSign(colon, ":")) {
        colon = program.isOpening(colon) ? words[colon].close + 1 : colon + 1;
    }
    const std::size_t body = std::min(colon + 1, words.size());
    const std::size_t line = lineOf(program, at);
    function.body = {body, endOfBody(program, body, words[line].column)};
    return function;
}

/// What runs besides a function: its name is called or given there.
class CallsOutside {
public:
    CallsOutside(const PythonValues& program, const std::vector<bool>& isDead) {
        for (std::size_t i = 0; i < program.words().size(); ++i) {
            if (program.isName(i) && !isDead[i]) {
                places_[program.words()[i].text].push_back(i);
            }
        }
    }

    [[nodiscard]] bool has(const PythonFunction& function) const {
        const auto found = places_.find(function.name);
        return found != places_.end() &&
               std::ranges::any_of(found->second, [&function](std::size_t at) {
                   return at < function.at || at >= function.body.end;
               });
    }

private:
    std::map<std::string, std::vector<std::size_t>> places_;
};

/// trainer.train(), or loss.backward().
bool trains(const PythonValues& program, const std::vector<bool>& isDead) {
    for (std::size_t i = 1; i < program.words().size(); ++i) {
        const bool isTraining = program.isName(i, "train") || program.isName(i, "backward");
        if (!isDead[i] && isTraining && program.isSign(i - 1, ".") && program.isSign(i + 1, "(")) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::size_t endOfBody(const PythonValues& program, std::size_t at, std::int64_t column) {
    const std::vector<PythonWord>& words = program.words();
    for (std::size_t i = at; i < words.size(); ++i) {
        if (beginsLine(program, i) && words[i].kind != PythonWord::Kind::End &&
            words[i].column <= column) {
            return i;
        }
    }
    return words.size();
}

std::vector<PythonFunction> functionsOf(const PythonValues& program) {
    std::vector<PythonFunction> functions;
    std::vector<std::size_t> around;
    bool isDecorated = false;
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        if (!beginsLine(program, i)) {
            continue;
        }
        const std::size_t at = i + (program.isName(i, "async") ? 1 : 0);
        const bool defines = program.isName(at, "def") || program.isName(at, "class");
        if (defines && program.isName(at + 1)) {
            PythonFunction function = functionAt(program, at);
            while (!around.empty() && functions[around.back()].body.end <= at) {
                around.pop_back();
            }
            function.isMethod = !around.empty() && functions[around.back()].isClass;
            function.isDecorated = isDecorated;
            around.push_back(functions.size());
            functions.push_back(std::move(function));
        }
        isDecorated = program.isSign(i, "@");
    }
    return functions;
}

bool isPlainClass(const PythonValues& program,
                  const std::vector<PythonFunction>& functions,
                  const std::string& name) {
    return std::ranges::any_of(functions, [&](const PythonFunction& one) {
        return one.isClass && one.name == name &&
               (one.bracket == 0 || program.itemsIn(one.bracket).empty());
    });
}

void leaveOutUncalled(const PythonValues& program, PythonCourse& course) {
    const std::vector<PythonFunction> functions = functionsOf(program);
    std::vector<bool> isDead = course.isDead;
    std::set<std::size_t> uncalled;
    bool isNew = true;
    for (int round = 0; round < kMostRounds && isNew; ++round) {
        isNew = false;
        const CallsOutside calls(program, isDead);
        for (const PythonFunction& one : functions) {
            const bool mayBe = !one.isClass && !one.isMethod && !one.isDecorated;
            if (mayBe && !calls.has(one) && uncalled.insert(one.at).second) {
                std::fill(isDead.begin() + static_cast<std::ptrdiff_t>(one.at),
                          isDead.begin() + static_cast<std::ptrdiff_t>(one.body.end),
                          true);
                isNew = true;
            }
        }
    }
    if (trains(program, isDead)) {
        course.isDead = std::move(isDead);
    }
}

}  // namespace fabricast
