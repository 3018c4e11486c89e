#include "planner/launch/python_functions.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Calls that have layers recomputed.
constexpr std::array kCheckpoints = {
    "checkpoint_wrapper"sv, "apply_activation_checkpointing"sv, "gradient_checkpointing_enable"sv};
/// Signs and words of a choice that goes by a layer's place.
constexpr std::array kChooses = {"%"sv, "<"sv, ">"sv, "<="sv, ">="sv, "nonlocal"sv, "global"sv};

/// Finds recomputation that is not of all layers, and all of each.
class CheckpointReader {
public:
    CheckpointReader(const PythonValues& program, const PythonCourse& course)
        : program_(program),
          words_(program.words()),
          course_(course),
          functions_(functionsOf(program)) {}

    void add(LaunchKeys& keys) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool isDead = course_.leavesOut(i);
            if (!isDead && program_.isName(i) && isPartial(i)) {
                keys.add({.path = kSomeCheckpoints,
                          .values = {words_[i].text},
                          .line = words_[i].line,
                          .column = words_[i].column});
                return;
            }
        }
    }

private:
    [[nodiscard]] bool isPartial(std::size_t at) const {
        const bool isCall = program_.isSign(at + 1, "(") &&
                            std::ranges::find(kCheckpoints, words_[at].text) != kCheckpoints.end();
        const bool isSet = at > 0 && program_.isSign(at - 1, ".") &&
                           words_[at].text == "gradient_checkpointing" &&
                           program_.isSign(at + 1, "=");
        if (!isCall && !isSet) {
            return false;
        }
        const bool isChosen = isCall ? choosesIn(at + 1) : choosesByPlace({at + 2, lineEnd(at)});
        return isChosen || isDecided(at) || isOfSomeLayers(at);
    }

    [[nodiscard]] std::size_t lineEnd(std::size_t at) const {
        while (at < words_.size() && words_[at].kind != PythonWord::Kind::End) {
            ++at;
        }
        return at;
    }

    /// "if i % 4 == 0:" around it. Which modules are layers is asked by their class.
    [[nodiscard]] bool isDecided(std::size_t at) const {
        if (at >= course_.decidedBy.size()) {
            return false;
        }
        const WordSpan& condition = course_.decidedBy[at];
        const std::string text = program_.textOf(condition);
        const bool asksClass = text.find("isinstance(") != std::string::npos ||
                               text.find("__class__") != std::string::npos;
        return condition.begin < condition.end && (!asksClass || choosesByPlace(condition));
    }

    [[nodiscard]] bool choosesByPlace(const WordSpan& span) const {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const bool isWord = words_[i].kind == PythonWord::Kind::Sign || program_.isName(i);
            if (isWord && std::ranges::find(kChooses, words_[i].text) != kChooses.end()) {
                return true;
            }
        }
        return false;
    }

    /// "for layer in layers[::2]", "for i in range(0, n, 2)".
    [[nodiscard]] bool isOfSomeLayers(std::size_t at) const {
        return std::ranges::any_of(loopHeadsAround(program_, at), [this](const WordSpan& head) {
            for (std::size_t i = head.begin; i < head.end; ++i) {
                const bool isRange = program_.isName(i, "range") && program_.isSign(i + 1, "(");
                if (program_.isSign(i, "[") && isSlice(i)) {
                    return true;
                }
                if (isRange && program_.itemsIn(i + 1).size() > 2) {
                    return true;
                }
            }
            return false;
        });
    }

    [[nodiscard]] bool isSlice(std::size_t bracket) const {
        bool isPart = false;
        bool hasColon = false;
        for (std::size_t i = bracket + 1; i < words_[bracket].close; ++i) {
            hasColon = hasColon || program_.isSign(i, ":");
            isPart = isPart || !program_.isSign(i, ":");
        }
        return hasColon && isPart;
    }

    /// Arguments that have some operations saved, or some layers left out.
    [[nodiscard]] bool choosesIn(std::size_t bracket) const {
        for (std::size_t i = bracket + 1; i < words_[bracket].close; ++i) {
            if (words_[i].text == "context_fn") {
                return true;
            }
            if (program_.isName(i, "check_fn") && program_.isSign(i + 1, "=") &&
                choosesLayers(i + 2, words_[bracket].close)) {
                return true;
            }
        }
        return false;
    }

    /// Of a lambda, or a function of the program.
    [[nodiscard]] bool choosesLayers(std::size_t at, std::size_t end) const {
        const std::string& name = words_[at].text;
        const auto function = std::ranges::find(functions_, name, &PythonFunction::name);
        return function != functions_.end() ? choosesByPlace(function->body)
                                            : choosesByPlace({at, end});
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    std::vector<PythonFunction> functions_;
};

}  // namespace

void addSomeCheckpoints(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    CheckpointReader(program, course).add(keys);
}

}  // namespace fabricast
