#include "planner/launch/made_config.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Functions in each other.
constexpr std::size_t kMostInside = 12;

constexpr std::array kWrappers = {
    "fully_shard"sv, "DistributedDataParallel"sv, "DDP"sv, "FullyShardedDataParallel"sv, "FSDP"sv};
/// Methods that go through a part of a model.
constexpr std::array kWalks = {
    "parameters"sv, "named_parameters"sv, "modules"sv, "children"sv, "values"sv};

/// Methods that are called for something else than the model.
bool givesBack(std::string_view method) {
    constexpr std::array kOthers = {"generate"sv,
                                    "num_parameters"sv,
                                    "state_dict"sv,
                                    "get_memory_footprint"sv,
                                    "forward"sv,
                                    "named_modules"sv,
                                    "get_nb_trainable_parameters"sv,
                                    "named_children"sv,
                                    "numel"sv,
                                    "size"sv,
                                    "dim"sv,
                                    "item"sv};
    return !isAmong(kOthers, method);
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as evaluate
MaybeRef ModelTracer::called(const std::string& name,
                             const MaybeRef& ref,
                             const WordSpan& callee,
                             ModelNames& names) {
    const std::size_t bracket = callee.end;
    const std::vector<Argument> arguments = argumentsOf(bracket, names);
    const std::string last = lastOf(name);
    addPass(last, ref, callee, arguments);
    if (ref) {
        return calledOn(*ref, last, bracket);
    }
    const bool loads = last == "from_pretrained" || last == "from_config";
    const bool isOfPeft = name.find("PeftModel") != std::string::npos &&
                          name.find("AutoPeftModel") == std::string::npos;
    const bool isMade = makesOfConfig(last) && !isAmong(classNames_, last);
    if (isMade || (loads && !isOfPeft && isModelClass(withoutLast(name)))) {
        models_.all.push_back({.call = {callee.begin, words_[bracket].close + 1},
                               .name = nameGiven(arguments),
                               .isOnGpu = isLoadedOnGpu(arguments),
                               .isAfterwards = isTraining_});
        return ModelRef{models_.all.size() - 1};
    }
    const auto function = byName_.find(name);
    if (function != byName_.end()) {
        const PythonFunction& one = functions_.at(function->second);
        const bool isInOther = words_[one.at].column > words_.front().column;
        return runFunction(one, arguments, isInOther ? names : global_);
    }
    if (followsMethods_ && name.starts_with("self.")) {
        const auto method = std::ranges::find_if(functions_, [&last](const auto& one) {
            return one.second.isMethod && one.second.name == last;
        });
        if (method != functions_.end()) {
            std::vector<Argument> given = arguments;
            given.insert(given.begin(), Argument());
            return runFunction(method->second, given, attributes_);
        }
    }
    const Argument* const module = argumentFor(arguments, 0, "module");
    if (last == "fully_shard" && module != nullptr && module->ref) {
        models_.sharded.push_back({bracket - 1, module->ref->part});
    }
    makeObject(name, arguments);
    if (makesOptimizer(last)) {
        const bool isGiven = !arguments.empty() && arguments.front().ref;
        models_.optimized.push_back({bracket - 1, isGiven ? arguments.front().ref->part : ""});
    }
    if (makesOptimizer(last) && !optimized_) {
        const auto model = std::ranges::find_if(
            arguments, [](const Argument& one) { return one.ref && one.ref->part.empty(); });
        optimized_ = model == arguments.end() ? optimized_ : std::optional(model->ref->model);
        if (models_.trained && !deedsBefore_ && optimized_) {
            models_.trained = optimized_;  // a reference may be wrapped, too
        }
    }
    const bool begins = last == "backward" && optimized_ && !deedsBefore_ && !isTraining_;
    isTraining_ = isTraining_ || begins;
    const MaybeRef given = givenTo(name, last, bracket, arguments);
    if (begins || isTrainer(last) || isAmong(kWrappers, last)) {
        keepNamed(names);
        keepNamed(global_);
    }
    return given;
}

bool ModelTracer::isLoadedOnGpu(const std::vector<Argument>& arguments) const {
    return std::ranges::any_of(arguments, [this](const Argument& one) {
        const std::vector<std::string> values = program_.valuesOf(one.value);
        const std::string value = values.size() == 1 ? values.front() : "";
        return one.name == "device_map"            ? value != "cpu" && value != "null"
               : one.name == "quantization_config" ? value != "null"
               : one.name.starts_with("load_in_")  ? value == "True"
                                                   : false;
    });
}

MaybeRef ModelTracer::calledOn(const ModelRef& ref,
                               const std::string& method,
                               std::size_t bracket) {
    if (ref.part.empty()) {
        return std::nullopt;  // model(inputs)
    }
    ModelRef owner = ref;
    owner.part = withoutLast(ref.part);
    if (ref.part.starts_with(kTrainerPart)) {
        isTraining_ = isTraining_ || method == "train";
        return std::nullopt;
    }
    if (isAmong(kWalks, method)) {
        owner.givesNames = method == "named_parameters";
        return owner;
    }
    if (method == "get_input_embeddings" || method == "get_output_embeddings") {
        owner.part = method == "get_input_embeddings" ? "model.embed_tokens" : "lm_head";
        return owner;
    }
    if (method == "get_base_model") {
        return owner;
    }
    if (owner.part.empty() && (method == "to" || method == "cuda")) {
        models_.all[owner.model].isOnGpu = true;
    }
    addDeed(
        ModelDeed::Kind::Calls, method, owner, bracket - 1, {bracket + 1, words_[bracket].close});
    return givesBack(method) ? MaybeRef(owner) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): as run
MaybeRef ModelTracer::runFunction(const PythonFunction& function,
                                  const std::vector<Argument>& arguments,
                                  const ModelNames& outer) {
    if (inside_.size() >= kMostInside || !inside_.insert(function.at).second) {
        return std::nullopt;
    }
    ran_.insert(function.at);
    ModelNames names = outer;
    std::map<std::string, std::string> numbers;
    std::size_t place = 0;
    for (const WordSpan& item : parametersOf(function)) {
        const std::string& name = words_[item.begin].text;
        const Argument* const given = argumentFor(arguments, place++, name);
        const std::size_t usual = placeOf(item, "=") + 1;
        names.erase(name);
        if (given != nullptr && given->ref) {
            names.insert_or_assign(name, *given->ref);
        }
        const WordSpan value = given != nullptr ? given->value : WordSpan{usual, item.end};
        if (value.begin < value.end) {
            const std::vector<std::string> values = program_.valuesOf(value);
            numbers.emplace(name, values.size() == 1 ? values.front() : "");
        }
    }
    std::swap(numbers_, numbers);
    const std::size_t blocks = blocks_.size();
    if (function.isDecorated && isWithoutGradients(function)) {
        blocks_.push_back({.kind = PythonBlock::Kind::WithoutGradients,
                           .at = function.at,
                           .chain = function.at,
                           .head = {}});
    }
    const MaybeRef returned = run(function.body, names);
    blocks_.resize(blocks);
    std::swap(numbers_, numbers);
    inside_.erase(function.at);
    if (function.isMethod) {
        keepNamed(names);  // "self.reference"
        for (const auto& [name, ref] : names) {
            if (name.starts_with("self.")) {
                attributes_.insert_or_assign(name, ref);
            }
        }
    }
    return returned;
}

// NOLINTNEXTLINE(misc-no-recursion): as run
void ModelTracer::makeObject(const std::string& name, std::vector<Argument> arguments) {
    const auto made = classes_.find(name);
    const bool isTrainers = trainers_.contains(name);
    const bool isGivenModel = std::ranges::any_of(
        arguments, [](const Argument& one) { return one.ref && one.ref->part.empty(); });
    if (made == classes_.end() || (!isTrainers && !isGivenModel)) {
        return;
    }
    if (isTrainers) {
        made_.insert(made->second);
    }
    const WordSpan body = functions_.at(made->second).body;
    const auto method = std::ranges::find_if(functions_, [&body](const auto& one) {
        return one.first >= body.begin && one.first < body.end && one.second.name == "__init__";
    });
    if (method != functions_.end()) {
        arguments.insert(arguments.begin(), Argument());  // self
        (void)runFunction(method->second, arguments, {});
    }
}

std::string ModelTracer::nameGiven(const std::vector<Argument>& arguments) const {
    const Argument* const name = argumentFor(arguments, 0, "pretrained_model_name_or_path");
    const bool isOne = name != nullptr && name->value.end == name->value.begin + 1;
    const auto given = isOne ? numbers_.find(words_[name->value.begin].text) : numbers_.end();
    return given == numbers_.end() || given->second.starts_with("$") ? "" : given->second;
}

MaybeRef ModelTracer::givenTo(const std::string& name,
                              const std::string& last,
                              std::size_t bracket,
                              const std::vector<Argument>& arguments) {
    const bool wraps = isAmong(kWrappers, last);
    if (isTrainer(last) || wraps) {
        markSharded(last, arguments);
        return givenToTrainer(wraps, arguments);
    }
    constexpr std::array kPass = {"list"sv, "tuple"sv, "enumerate"sv, "reversed"sv, "tqdm"sv};
    if (isAmong(kPass, name) && !arguments.empty()) {
        return arguments.front().ref;
    }
    if (const MaybeRef copy = copyMade(last, bracket, arguments)) {
        return copy;
    }
    const bool prepares = last == "prepare" || last == "prepare_model";
    for (const Argument& one : arguments) {
        if (!one.ref || !one.ref->part.empty() || one.ref->givesNames) {
            continue;
        }
        models_.all[one.ref->model].isOnGpu |= prepares;
        const bool makes =  // a class
            !last.empty() && std::isupper(static_cast<unsigned char>(last.front())) != 0;
        if (!makes && !prepares && !last.empty()) {
            addDeed(ModelDeed::Kind::IsGiven,
                    last,
                    *one.ref,
                    bracket - 1,
                    {bracket + 1, words_[bracket].close});
        }
        return makes && name.find("Model") == std::string::npos ? std::nullopt : one.ref;
    }
    return std::nullopt;
}

}  // namespace fabricast
