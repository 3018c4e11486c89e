#include "planner/launch/python_assignments.h"
#include "planner/launch/python_branches.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// "opt = AdamW(…)".
struct MadeObject {
    std::string name;
    std::size_t at = 0;   ///< its name
    std::size_t end = 0;  ///< of the statement
    bool isOptimizer = false;
    bool isReplaced = false;
    bool isUsed = false;
};

class IdleObjectReader {
public:
    IdleObjectReader(const PythonValues& program, PythonCourse& course)
        : program_(program), course_(course) {}

    void leaveOut() {
        for (std::size_t i = 0; i < program_.words().size(); ++i) {
            addMade(i);
        }
        const std::set<std::string_view> used = usedIn(0, program_.words().size());
        bool hasOptimizer = false;
        bool hasLoader = false;
        std::map<std::string_view, std::size_t> next;
        for (std::size_t i = made_.size(); i-- > 0;) {
            MadeObject& one = made_[i];
            const auto [other, isLast] = next.emplace(one.name, i);
            one.isReplaced = !isLast && isReplaced(one, made_[other->second]);
            one.isUsed = used.contains(one.name);
            other->second = i;
            hasOptimizer = hasOptimizer || (one.isUsed && one.isOptimizer);
            hasLoader = hasLoader || (one.isUsed && !one.isOptimizer);
        }
        for (const MadeObject& one : made_) {
            const bool isOther = one.isOptimizer ? hasOptimizer : hasLoader;
            if (one.isReplaced || (!one.isUsed && isOther)) {
                std::fill(course_.isDead.begin() + static_cast<std::ptrdiff_t>(one.at),
                          course_.isDead.begin() + static_cast<std::ptrdiff_t>(one.end),
                          true);
            }
        }
    }

private:
    void addMade(std::size_t at) {
        const auto value = course_.leavesOut(at) ? std::nullopt : assignedAt(program_, at);
        if (!value || program_.endOfName(at) != at + 1 || !program_.isName(value->begin)) {
            return;
        }
        const std::size_t bracket = program_.endOfName(value->begin);
        const std::string& called = program_.words()[bracket - 1].text;
        const bool isOptimizer = makesOptimizer(called);
        if (program_.isSign(bracket, "(") && (isOptimizer || called == "DataLoader")) {
            made_.push_back({.name = program_.words()[at].text,
                             .at = at,
                             .end = value->end,
                             .isOptimizer = isOptimizer});
        }
    }

    /// Names that stand there for more than to be given a value, or to be emptied.
    [[nodiscard]] std::set<std::string_view> usedIn(std::size_t begin, std::size_t end) const {
        constexpr std::array kIdle = {"zero_grad"sv, "state_dict"sv, "load_state_dict"sv};
        std::set<std::string_view> used;
        for (std::size_t i = begin; i < end; ++i) {
            if (!program_.isName(i) || course_.leavesOut(i)) {
                continue;
            }
            const bool isOther = i > 0 && program_.isSign(i - 1, ".");
            const bool isGiven = program_.isSign(i + 1, "=") || assignedAt(program_, i);
            const bool isIdle =
                program_.isSign(i + 1, ".") && program_.isName(i + 2) &&
                std::ranges::find(kIdle, program_.words()[i + 2].text) != kIdle.end();
            if (!isOther && !isGiven && !isIdle) {
                used.insert(program_.words()[i].text);
            }
        }
        return used;
    }

    /// Whether its name is given the other wherever it is made, before anything uses it.
    [[nodiscard]] bool isReplaced(const MadeObject& one, const MadeObject& other) const {
        return isSameBlock(program_, one.at, other.at) &&
               !usedIn(one.end, other.end).contains(one.name);
    }

    const PythonValues& program_;
    PythonCourse& course_;
    std::vector<MadeObject> made_;
};

}  // namespace

bool makesOptimizer(std::string_view called) {
    constexpr std::array kParts = {"Adam"sv, "SGD"sv, "Lion"sv, "Adafactor"sv, "Muon"sv};
    return std::ranges::any_of(kParts, [called](std::string_view part) {
        return called.find(part) != std::string_view::npos;
    });
}

void leaveOutIdleObjects(const PythonValues& program, PythonCourse& course) {
    IdleObjectReader(program, course).leaveOut();
}

}  // namespace fabricast
