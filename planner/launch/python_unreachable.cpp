#include "planner/launch/python_assignments.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

class UnreachableReader {
public:
    UnreachableReader(const PythonValues& program, PythonCourse& course)
        : program_(program), words_(program.words()), course_(course) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (program_.isOpening(i)) {
                opened_.emplace(words_[i].close, i);
            }
        }
    }

    void leaveOut() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (course_.isDead[i]) {
                continue;
            }
            if (program_.isName(i, "and") || program_.isName(i, "or")) {
                leaveOutOperand(i);
            } else if (beginsWithName(program_, i) && endsBlock(i) && isOfBlock(i)) {
                leaveOutBehind(i);
            }
        }
        leaveOutReplaced();
    }

private:
    [[nodiscard]] bool isEnd(std::size_t at) const {
        return at >= words_.size() || words_[at].kind == PythonWord::Kind::End;
    }
    /// Whether it is a statement of its line's block, and not of "if x: return".
    [[nodiscard]] bool isOfBlock(std::size_t at) const {
        for (std::size_t i = beginOfLine(program_, at); i < at;) {
            if (program_.isSign(i, ":")) {
                return false;
            }
            i = program_.isOpening(i) ? words_[i].close + 1 : i + 1;
        }
        return true;
    }

    void markDead(std::size_t begin, std::size_t end) {
        std::fill(course_.isDead.begin() + static_cast<std::ptrdiff_t>(begin),
                  course_.isDead.begin() + static_cast<std::ptrdiff_t>(end),
                  true);
    }

    /// Where an operand of "and" or "or" begins or ends.
    [[nodiscard]] bool isBound(std::size_t at, bool isAnd) const {
        constexpr std::array kSigns = {","sv, "="sv, ":"sv, ";"sv, ":="sv};
        constexpr std::array kNames = {
            "if"sv, "elif"sv, "else"sv, "while"sv, "return"sv, "assert"sv, "for"sv, "lambda"sv};
        return isEnd(at) || (isAnd && program_.isName(at, "or")) ||
               (program_.isName(at) &&
                std::ranges::find(kNames, words_[at].text) != kNames.end()) ||
               std::ranges::any_of(
                   kSigns, [&](std::string_view sign) { return program_.isSign(at, sign); });
    }

    /// "x()" of "False and x()", and of "True or x()".
    void leaveOutOperand(std::size_t at) {
        const bool isAnd = program_.isName(at, "and");
        std::size_t begin = at;
        const auto isOperator = [&](std::size_t word) {  // what is before it is looked at by then
            return program_.isName(word, "or") || (isAnd && program_.isName(word, "and"));
        };
        while (begin > 0 && !isOperator(begin - 1) && !isBound(begin - 1, isAnd) &&
               !program_.isOpening(begin - 1)) {
            const auto bracket = opened_.find(begin - 1);
            begin = bracket == opened_.end() ? begin - 1 : bracket->second;
        }
        if (holds(program_, {begin, at}) != !isAnd) {
            return;
        }
        std::size_t end = at + 1;
        while (!isBound(end, isAnd) && !opened_.contains(end)) {
            end = program_.isOpening(end) ? words_[end].close + 1 : end + 1;
        }
        markDead(at + 1, end);
    }

    [[nodiscard]] bool endsBlock(std::size_t at) const {
        constexpr std::array kEnds = {"return"sv, "raise"sv, "break"sv, "continue"sv};
        constexpr std::array kExits = {"exit"sv, "quit"sv, "sys.exit"sv, "os._exit"sv};
        const std::size_t bracket = program_.isName(at) ? program_.endOfName(at) : at;
        return program_.isName(at) &&
               (std::ranges::find(kEnds, words_[at].text) != kEnds.end() ||
                (program_.isSign(bracket, "(") &&
                 endOfStatement(program_, at) == words_[bracket].close + 1 &&
                 std::ranges::find(kExits, program_.textOf({at, bracket})) != kExits.end()));
    }

    /// The lines behind it that stand in its block.
    void leaveOutBehind(std::size_t at) {
        const std::int64_t column = words_[beginOfLine(program_, at)].column;
        const std::size_t begin = endOfStatement(program_, at);
        std::size_t end = begin;
        while (end < words_.size() &&
               (isEnd(end) || beginOfLine(program_, end) != end || words_[end].column >= column)) {
            ++end;
        }
        markDead(begin, end);
    }

    /// Of two functions of one name in one block, the one that nothing names before the other.
    void leaveOutReplaced() {
        const std::vector<PythonFunction> functions = functionsOf(program_);
        std::map<std::string_view, const PythonFunction*> last;
        for (const PythonFunction& one : functions) {
            if (one.isDecorated || course_.isDead[one.at]) {
                continue;
            }
            const auto [before, isNew] = last.emplace(one.name, &one);
            if (!isNew && isSameBlock(program_, before->second->at, one.at) &&
                !isNamed(one.name, before->second->body.end, one.at)) {
                markDead(before->second->at, before->second->body.end);
            }
            before->second = &one;
        }
    }

    [[nodiscard]] bool isNamed(std::string_view name, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            if (program_.isName(i, name)) {
                return true;
            }
        }
        return false;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    PythonCourse& course_;
    std::map<std::size_t, std::size_t> opened_;  ///< by the bracket that closes
};

}  // namespace

void leaveOutUnreachable(const PythonValues& program, PythonCourse& course) {
    UnreachableReader(program, course).leaveOut();
}

}  // namespace fabricast
