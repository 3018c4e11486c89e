#pragma once
#include "planner/launch/python_branches.h"
#include "planner/launch/python_passes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fabricast {

/// A condition around a statement that is not known: "if "lm_head" in n:", or its "else".
struct PythonCondition {
    WordSpan words;
    bool isNot = false;
};

/// What a program does to a model that it loads.
struct ModelDeed {
    enum class Kind : std::uint8_t { Calls, IsGiven, Sets };
    Kind kind = Kind::Calls;
    std::string name;    ///< "float" of model.float(), "freeze" of freeze(model), "requires_grad"
    std::string part;    ///< "model.layers[-4:]" of the model; empty: the whole
    std::size_t at = 0;  ///< the word
    WordSpan said;       ///< the arguments between their brackets, or the value
    std::string named;   ///< the variable that has the name of each weight, of named_parameters()
    std::vector<PythonCondition> where{};
};

/// A model that a program loads, with what it does to it until it trains, in the order in which it
/// runs.
struct PythonModel {
    WordSpan call;  ///< "AutoModelForCausalLM.from_pretrained(…)"
    std::string
        name{};  ///< what it is told to load, where a function is given that; empty: as said
    bool isOnGpu = false;                 ///< as far as the program says
    bool isKept = false;                  ///< has a name when a Trainer is made
    bool isAfterwards = false;            ///< loaded when the training is done
    bool isAverage = false;               ///< AveragedModel(model)
    bool isSharded = false;               ///< fully_shard(model)
    std::optional<std::size_t> copyOf{};  ///< deepcopy(model)
    std::vector<ModelDeed> deeds{};
};

/// What fully_shard is given.
struct ShardedModule {
    std::size_t at = 0;  ///< the call
    std::string part;    ///< "model.layers" of the model; empty: the whole
};

/// What an optimizer is given of the model.
struct OptimizedPart {
    std::size_t at = 0;  ///< the call
    std::string part{};  ///< "lm_head", "[:4]"; empty: the whole
};

struct PythonModels {
    std::vector<PythonModel> all{};
    std::optional<std::size_t> trained{};  ///< which one a Trainer, FSDP or DDP is given
    std::vector<ModelPass> passes{};       ///< of them all, in the order in which they run
    std::vector<OptimizedPart> optimized{};
    std::vector<ShardedModule> sharded{};  ///< of what is followed
    /// The loops over models that are written out, by where their heads begin.
    std::set<std::size_t> listed{};
};

/// Follows the models through names, functions of the program and calls that give them back.
/// Nothing is run: both ways of what is not known are taken.
///     student = A.from_pretrained(x); draft = A.from_pretrained(y); Trainer(model=student)
///     →  two, the first of which is trained
PythonModels modelsOf(const PythonValues& program, const PythonCourse& course);

/// "AutoModelForCausalLM", "LlamaForCausalLM": a class that loads the weights of a model.
bool isModelClass(std::string_view called);

}  // namespace fabricast
