#include "planner/launch/zeroed_gradients.h"

#include "planner/launch/python_functions.h"
#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kZeroed = "zeroed";
constexpr std::string_view kLate = "late";
constexpr std::string_view kNever = "never";

/// Reads where a program's gradients are freed.
class ZeroReader {
public:
    ZeroReader(const PythonValues& program, const PythonCourse& course, const PythonModels& models)
        : program_(program), course_(course), models_(models), functions_(functionsOf(program)) {}

    void add(LaunchKeys& keys) const {
        std::size_t last = 0;
        std::size_t backward = 0;
        bool areKept = true;
        bool steps = false;
        for (std::size_t i = 1; i < program_.words().size(); ++i) {
            const bool isDead = course_.leavesOut(i);
            if (isDead || !program_.isName(i)) {
                continue;
            }
            const bool isCall = program_.isSign(i + 1, "(");
            if (program_.isName(i, "grad") && program_.isSign(i + 1, "=")) {
                return;  // they are freed one by one
            }
            backward = program_.isName(i, "backward") && isCall ? i : backward;
            steps = steps || (program_.isName(i, "step") && isCall);
            if (!program_.isName(i, "zero_grad")) {
                continue;
            }
            if (isCall && isLate(i)) {
                return addKey(i, kLate, keys);
            }
            last = i;
            areKept = areKept && isCall && setsToZero(i);
        }
        if (last != 0 && areKept) {
            addKey(last, kZeroed, keys);
        } else if (last == 0 && backward != 0 && steps) {
            addKey(backward, kNever, keys);
        }
    }

private:
    /// zero_grad(set_to_none=False), or zero_grad(False).
    [[nodiscard]] bool setsToZero(std::size_t call) const {
        for (const WordSpan& item : program_.itemsIn(call + 1)) {
            const bool isNamed = program_.isSign(item.begin + 1, "=");
            const std::vector<std::string> values =
                program_.valuesOf({item.begin + (isNamed ? 2U : 0U), item.end});
            const bool isIt = !isNamed || program_.isName(item.begin, "set_to_none");
            if (isIt && values == std::vector<std::string>{"False"}) {
                return true;
            }
        }
        return false;
    }

    /// Whether it stands between a forward pass and its backward pass.
    [[nodiscard]] bool isLate(std::size_t call) const {
        const ModelPass* before = nullptr;
        const ModelPass* behind = nullptr;
        for (const ModelPass& pass : models_.passes) {
            if (pass.at < call && (before == nullptr || before->at < pass.at)) {
                before = &pass;
            } else if (pass.at > call && (behind == nullptr || pass.at < behind->at)) {
                behind = &pass;
            }
        }
        return before != nullptr && behind != nullptr && !before->isBackward &&
               behind->isBackward && models_.trained == before->model &&
               isBeside(before->at, call) && isBeside(behind->at, call);
    }

    /// In the same function, and the same loop.
    [[nodiscard]] bool isBeside(std::size_t one, std::size_t other) const {
        const auto loop = [this](std::size_t at) {
            const std::vector<WordSpan> heads = loopHeadsAround(program_, at);
            return heads.empty() ? 0 : heads.front().begin;
        };
        return functionAt(one) == functionAt(other) && loop(one) == loop(other);
    }

    [[nodiscard]] std::size_t functionAt(std::size_t at) const {
        std::size_t innermost = 0;
        for (const PythonFunction& one : functions_) {
            if (one.body.begin <= at && at < one.body.end) {
                innermost = std::max(innermost, one.body.begin);
            }
        }
        return innermost;
    }

    void addKey(std::size_t at, std::string_view how, LaunchKeys& keys) const {
        const PythonWord& word = program_.words()[at];
        keys.add({.path = kKeptGradients,
                  .values = {std::string(how)},
                  .line = word.line,
                  .column = word.column});
    }

    const PythonValues& program_;
    const PythonCourse& course_;
    const PythonModels& models_;
    std::vector<PythonFunction> functions_;
};

}  // namespace

void addKeptGradients(const PythonValues& program,
                      const PythonCourse& course,
                      const PythonModels& models,
                      LaunchKeys& keys) {
    ZeroReader(program, course, models).add(keys);
}

void importKeptGradients(ScenarioDraft& draft) {
    const LaunchKey* const kept = draft.keys().use(kKeptGradients);
    if (kept == nullptr) {
        return;
    }
    draft.set("settings.torch.set_to_none", false, kKeptGradients);
    const std::string line = " (line " + std::to_string(kept->line) + ")";
    if (kept->values.front() == kLate) {
        draft.assume("settings.torch.set_to_none",
                     "zero_grad stands between the forward pass and the backward pass" + line +
                         ": the gradients of the step before live through the forward pass, and "
                         "are forecast to be kept throughout, an upper bound of the memory");
    } else if (kept->values.front() == kNever) {
        draft.assume("settings.torch.set_to_none",
                     "no zero_grad was read: the gradients of all steps add up, and are kept" +
                         line + " (--set settings.torch.set_to_none=true where they are freed)");
    }
}

}  // namespace fabricast
