#include "planner/launch/set_arguments.h"

#include "planner/launch/python_assignments.h"
#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <array>
#include <span>

namespace fabricast {
namespace {

/// A parameter of such a method.
struct SetterParameter {
    std::string_view name;
    std::string_view field;  ///< empty: it changes no forecast
    std::string_view usual;  ///< empty: the field then keeps what it is
};

// Of transformers' training_args.py, in the order of their parameters.
constexpr std::array<SetterParameter, 8> kOfTraining = {
    {{"learning_rate", "", ""},
     {"batch_size", "per_device_train_batch_size", "8"},
     {"weight_decay", "", ""},
     {"num_epochs", "num_train_epochs", "3"},
     {"max_steps", "max_steps", "-1"},
     {"gradient_accumulation_steps", "gradient_accumulation_steps", "1"},
     {"seed", "", ""},
     {"gradient_checkpointing", "gradient_checkpointing", "False"}}};
constexpr std::array<SetterParameter, 2> kOfDataloader = {
    {{"train_batch_size", "per_device_train_batch_size", "8"},
     {"eval_batch_size", "per_device_eval_batch_size", "8"}}};
constexpr std::array<SetterParameter, 7> kOfOptimizer = {{{"name", "optim", "adamw_torch"},
                                                          {"learning_rate", "", ""},
                                                          {"weight_decay", "", ""},
                                                          {"beta1", "", ""},
                                                          {"beta2", "", ""},
                                                          {"epsilon", "", ""},
                                                          {"args", "optim_args", ""}}};
constexpr std::array<SetterParameter, 4> kOfEvaluation = {
    {{"strategy", "eval_strategy", "no"},
     {"steps", "eval_steps", "500"},
     {"batch_size", "per_device_eval_batch_size", "8"},
     {"accumulation_steps", "eval_accumulation_steps", "null"}}};

std::span<const SetterParameter> parametersOf(std::string_view method) {
    return method == "set_training"     ? std::span<const SetterParameter>(kOfTraining)
           : method == "set_dataloader" ? std::span<const SetterParameter>(kOfDataloader)
           : method == "set_optimizer"  ? std::span<const SetterParameter>(kOfOptimizer)
           : method == "set_evaluate"   ? std::span<const SetterParameter>(kOfEvaluation)
                                        : std::span<const SetterParameter>();
}

/// setattr(args, "bf16", True).
std::vector<SetArgument> attributeSet(const PythonValues& program, std::size_t at) {
    const std::vector<WordSpan> items = program.itemsIn(at + 1);
    if (items.size() != 3) {
        return {};
    }
    const WordSpan named = program.givenTo(items[1]).value_or(items[1]);
    const bool isKnown = named.end == named.begin + 1 &&
                         program.words()[named.begin].kind == PythonWord::Kind::Text &&
                         !program.words()[named.begin].isOpen;
    return {{isKnown ? program.words()[named.begin].text : "**", program.valuesOf(items[2]), at}};
}

/// dataclasses.replace(args, bf16=True).
std::vector<SetArgument> fieldsReplaced(const PythonValues& program, std::size_t at) {
    std::vector<SetArgument> set;
    for (const WordSpan& item : program.itemsIn(at + 1)) {
        if (program.isSign(item.begin, "**")) {
            set.push_back({"**", program.valuesOf({item.begin + 1, item.end}), at});
        } else if (program.isName(item.begin) && program.isSign(item.begin + 1, "=")) {
            set.push_back({program.words()[item.begin].text,
                           program.valuesOf({item.begin + 2, item.end}),
                           item.begin});
        }
    }
    return set;
}

}  // namespace

std::size_t objectSetAt(const PythonValues& program, std::size_t at) {
    if (program.isName(at, "setattr") || program.isName(at, "replace")) {
        const std::vector<WordSpan> items = program.itemsIn(at + 1);
        const bool isName = !items.empty() && items.front().end == items.front().begin + 1;
        return isName ? items.front().begin : 0;
    }
    return at >= 2 && program.isSign(at - 1, ".") && program.isName(at - 2) ? at - 2 : 0;
}

std::vector<SetArgument> setArgumentsAt(const PythonValues& program, std::size_t at) {
    const std::vector<PythonWord>& words = program.words();
    if (program.isName(at, "setattr") || program.isName(at, "replace")) {
        return program.isName(at, "setattr") ? attributeSet(program, at)
                                             : fieldsReplaced(program, at);
    }
    const std::span<const SetterParameter> parameters = parametersOf(words[at].text);
    std::vector<SetArgument> set;
    for (const SetterParameter& one : parameters) {
        if (!one.field.empty() && !one.usual.empty()) {
            set.push_back({std::string(one.field), {std::string(one.usual)}, at});
        }
    }
    std::size_t place = 0;
    for (const WordSpan& item :
         parameters.empty() ? std::vector<WordSpan>() : program.itemsIn(at + 1)) {
        const bool isKeyword = program.isName(item.begin) && program.isSign(item.begin + 1, "=");
        const auto said =
            isKeyword
                ? std::ranges::find(
                      parameters, std::string_view(words[item.begin].text), &SetterParameter::name)
                : parameters.begin() +
                      static_cast<std::ptrdiff_t>(std::min(place++, parameters.size()));
        if (said == parameters.end() || said->field.empty()) {
            continue;
        }
        const WordSpan value{item.begin + (isKeyword ? 2U : 0U), item.end};
        std::erase_if(set, [said](const SetArgument& one) { return one.field == said->field; });
        set.push_back({std::string(said->field), program.valuesOf(value), item.begin});
    }
    return set;
}

bool followsTraining(const PythonValues& program,
                     const PythonCourse& course,
                     const std::map<std::string, std::string>& classes,
                     std::size_t at) {
    for (std::size_t i = 0; i < at; ++i) {
        const bool isCall = program.isName(i) && program.isName(i + 2, "train") &&
                            program.isSign(i + 3, "(") && !course.leavesOut(i);
        const auto trainer = isCall ? classes.find(program.words()[i].text) : classes.end();
        if (trainer != classes.end() && trainer->second.ends_with("Trainer") &&
            isSameBlock(program, beginOfLine(program, i), beginOfLine(program, at)) &&
            loopHeadsAround(program, i).empty()) {
            return true;
        }
    }
    return false;
}

}  // namespace fabricast
