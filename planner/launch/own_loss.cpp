#include "planner/launch/own_loss.h"

#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// What a loss calls that has no tensor of the logits' size beyond transformers' own: the upcast
/// and one cross entropy.
constexpr std::array kOfOneLoss = {"cross_entropy"sv,
                                   "CrossEntropyLoss"sv,
                                   "float"sv,
                                   "view"sv,
                                   "reshape"sv,
                                   "flatten"sv,
                                   "size"sv,
                                   "contiguous"sv,
                                   "to"sv,
                                   "pop"sv,
                                   "get"sv,
                                   "super"sv,
                                   "compute_loss"sv,
                                   "isinstance"sv,
                                   "len"sv,
                                   "tensor"sv,
                                   "detach"sv,
                                   "item"sv,
                                   "argmax"sv,
                                   "log"sv};

class OwnLossReader {
public:
    OwnLossReader(const PythonValues& program, const PythonCourse& course)
        : program_(program),
          words_(program.words()),
          course_(course),
          functions_(functionsOf(program)) {}

    /// The loss of the Trainer that is made; nothing where it has none.
    [[nodiscard]] const PythonFunction* find() const {
        if (const PythonFunction* const method = methodOfMade("compute_loss")) {
            return method;
        }
        for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
            if (program_.isName(i, "compute_loss_func") && program_.isSign(i + 1, "=") &&
                !isDead(i)) {
                const auto given = std::ranges::find_if(functions_, [&](const auto& one) {
                    return !one.isMethod && one.name == words_[i + 2].text;
                });
                return given == functions_.end() ? nullptr : &*given;
            }
        }
        return nullptr;
    }

    /// A method of the Trainer that is made; nothing where it has none of that name.
    [[nodiscard]] const PythonFunction* methodOfMade(std::string_view name) const {
        for (const PythonFunction& one : functions_) {
            const PythonFunction* const method =
                one.isClass && one.bracket != 0 && extendsTrainer(one) && isMade(one)
                    ? methodOf(one, name)
                    : nullptr;
            if (method != nullptr) {
                return method;
            }
        }
        return nullptr;
    }

    /// Whether a training_step is the Trainer's own, or one forward and one backward as that has.
    [[nodiscard]] bool isPlainStep(const PythonFunction& step) const {
        const WordSpan& body = step.body;
        const std::size_t own = callsOf(body, "training_step");
        const bool isOne =
            own + callsOf(body, "compute_loss") == 1 && callsOf(body, "backward") == 1 - own;
        return isOne && callsOf(body, "model") == 0 && callsOf(body, "clone") == 0 &&
               callsOf(body, "deepcopy") == 0;
    }

    [[nodiscard]] bool makesMore(const PythonFunction& loss) const {
        const WordSpan& body = loss.body;
        if (!has(body, "logits")) {
            return false;
        }
        const bool isWithout = !loss.isMethod || popsLabels(body);
        const bool copiesTwice = calls(body, "float") && calls(body, "contiguous");
        return !isWithout || copiesTwice || has(body, "loss", ".") || callsOthers(body) ||
               calculates(body);
    }

private:
    [[nodiscard]] bool isDead(std::size_t at) const { return course_.leavesOut(at); }

    /// Whether a name stands there, behind this sign if any.
    [[nodiscard]] bool has(const WordSpan& span,
                           std::string_view name,
                           std::string_view before = {}) const {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            if (program_.isName(i, name) && (before.empty() || program_.isSign(i - 1, before)) &&
                !isDead(i)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::size_t callsOf(const WordSpan& span, std::string_view name) const {
        std::size_t count = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            count +=
                program_.isName(i, name) && program_.isSign(i + 1, "(") && !isDead(i) ? 1U : 0U;
        }
        return count;
    }

    [[nodiscard]] bool calls(const WordSpan& span, std::string_view name) const {
        return callsOf(span, name) > 0;
    }

    /// "inputs.pop("labels")": the model has no loss of its own then.
    [[nodiscard]] bool popsLabels(const WordSpan& span) const {
        for (std::size_t i = span.begin; i + 2 < span.end; ++i) {
            if (program_.isName(i, "pop") && program_.isSign(i + 1, "(") &&
                words_[i + 2].text == "labels") {
                return true;
            }
        }
        return false;
    }

    /// Names that are given one of torch's losses: "loss_fct = CrossEntropyLoss()".
    [[nodiscard]] bool isLoss(const WordSpan& span, std::size_t at) const {
        for (std::size_t i = span.begin; i < at; ++i) {
            if (words_[i].text == words_[at].text && program_.isSign(i + 1, "=") &&
                words_[program_.endOfName(i + 2) - 1].text == "CrossEntropyLoss") {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool callsOthers(const WordSpan& span) const {
        std::size_t losses = 0;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            if (!program_.isName(i) || !program_.isSign(i + 1, "(") || isDead(i)) {
                continue;
            }
            const std::string& name = words_[i].text;
            const bool isOne = name == "cross_entropy" || isLoss(span, i);
            losses += isOne ? 1 : 0;
            if (!isOne && name != "model" && !isOfOneLoss(name)) {
                return true;
            }
        }
        return losses > 1;
    }

    /// "logits / temperature": another tensor of their size.
    [[nodiscard]] bool calculates(const WordSpan& span) const {
        constexpr std::array kSigns = {"*"sv, "/"sv, "+"sv, "-"sv, "**"sv, "@"sv};
        for (std::size_t i = span.begin + 1; i + 1 < span.end; ++i) {
            const bool isLogits =
                program_.isName(i) && words_[i].text.find("logits") != std::string::npos;
            const bool isIn =
                isLogits && std::ranges::any_of(kSigns, [&](std::string_view sign) {
                    return program_.isSign(i + 1, sign) || program_.isSign(i - 1, sign);
                });
            if (isIn && !isDead(i)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool extendsTrainer(const PythonFunction& one) const {
        return std::ranges::any_of(program_.itemsIn(one.bracket), [this](const WordSpan& base) {
            return words_[base.end - 1].text.ends_with("Trainer");
        });
    }

    [[nodiscard]] bool isMade(const PythonFunction& one) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (i != one.at + 1 && program_.isName(i, one.name) && program_.isSign(i + 1, "(") &&
                !isDead(i)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] const PythonFunction* methodOf(const PythonFunction& one,
                                                 std::string_view name) const {
        const auto found = std::ranges::find_if(functions_, [&](const PythonFunction& method) {
            return method.name == name && method.at >= one.body.begin && method.at < one.body.end;
        });
        return found == functions_.end() ? nullptr : &*found;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    std::vector<PythonFunction> functions_;
};

}  // namespace

bool isOfOneLoss(std::string_view called) {
    return std::ranges::find(kOfOneLoss, called) != kOfOneLoss.end();
}

void addOwnLoss(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    const OwnLossReader reader(program, course);
    const PythonFunction* const step = reader.methodOfMade("training_step");
    if (step != nullptr && !reader.isPlainStep(*step)) {
        const PythonWord& word = program.words()[step->at];
        keys.add({.path = kOwnStep, .values = {}, .line = word.line, .column = word.column});
    }
    if (const PythonFunction* const loss = reader.find()) {
        const PythonWord& word = program.words()[loss->at];
        keys.add({.path = kOwnLoss,
                  .values = {loss->name, reader.makesMore(*loss) ? "more" : ""},
                  .line = word.line,
                  .column = word.column});
    }
}

void importOwnLoss(ScenarioDraft& draft) {
    if (const LaunchKey* const step = draft.keys().use(kOwnStep)) {
        draft.leaveOpen("settings.kernels.loss",
                        *step,
                        "training_step of the program is not the Trainer's own, and what it keeps "
                        "was not read",
                        "--set settings.kernels.loss=huggingface, to forecast it with the "
                        "Trainer's own");
    }
    const LaunchKey* const loss = draft.keys().use(kOwnLoss);
    if (loss == nullptr) {
        return;
    }
    const std::string name = loss->values.front();  // "compute_loss", "the loop's loss"
    if (loss->values.back() == "more") {
        draft.leaveOpen("settings.kernels.loss",
                        *loss,
                        name +
                            " of the program makes more of the logits than transformers' loss: "
                            "how much memory that takes was not read",
                        "--set settings.kernels.loss=huggingface, to forecast it with "
                        "transformers' own");
    } else {
        draft.note(name + " of the program (line " + std::to_string(loss->line) +
                   ") is forecast as transformers' own loss");
    }
}

}  // namespace fabricast
