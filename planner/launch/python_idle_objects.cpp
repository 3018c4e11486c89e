#include "planner/launch/python_idle_objects.h"

#include "planner/launch/python_assignments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
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
        for (std::size_t i = 0; i < made_.size(); ++i) {
            made_[i].isUsed = isUsed(made_[i].name, 0, program_.words().size());
            made_[i].isReplaced = isReplaced(i);
        }
        for (const MadeObject& one : made_) {
            const bool isOther = std::ranges::any_of(made_, [&one](const MadeObject& other) {
                return other.isUsed && other.isOptimizer == one.isOptimizer;
            });
            if (one.isReplaced || (!one.isUsed && isOther)) {
                std::fill(course_.isDead.begin() + static_cast<std::ptrdiff_t>(one.at),
                          course_.isDead.begin() + static_cast<std::ptrdiff_t>(one.end),
                          true);
            }
        }
    }

private:
    void addMade(std::size_t at) {
        const auto value = course_.isDead[at] ? std::nullopt : assignedAt(program_, at);
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

    /// Whether it is named there, but to be given a value, or emptied.
    [[nodiscard]] bool isUsed(const std::string& name, std::size_t begin, std::size_t end) const {
        constexpr std::array kIdle = {"zero_grad"sv, "state_dict"sv, "load_state_dict"sv};
        for (std::size_t i = begin; i < end; ++i) {
            const bool isOther = i > 0 && program_.isSign(i - 1, ".");
            const bool isGiven = program_.isSign(i + 1, "=") || assignedAt(program_, i);
            const bool isIdle =
                program_.isSign(i + 1, ".") && program_.isName(i + 2) &&
                std::ranges::find(kIdle, program_.words()[i + 2].text) != kIdle.end();
            if (program_.isName(i, name) && !isOther && !isGiven && !isIdle && !course_.isDead[i]) {
                return true;
            }
        }
        return false;
    }

    /// Whether its name is given another wherever it is made, before anything uses it.
    [[nodiscard]] bool isReplaced(std::size_t place) const {
        const MadeObject& one = made_[place];
        return std::any_of(made_.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                           made_.end(),
                           [&](const MadeObject& other) {
                               return other.name == one.name &&
                                      isSameBlock(program_, one.at, other.at) &&
                                      !isUsed(one.name, one.end, other.end);
                           });
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
