#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_models.h"

#include <string_view>
#include <vector>

namespace fabricast {

// What a program does to the model that it trains, as keys of the program.

/// The type that it is cast to: "float32".
inline constexpr const char* kModelDtype = "model dtype";
/// Which weights are trained from there on: the part of the model, "if" with a condition on the
/// name of a weight, and "is" with one that says whether it is trained. No values: not read.
inline constexpr const char* kModelTrains = "model requires_grad";
/// "true" where it gets adapters, "false" where they are merged into it.
inline constexpr const char* kModelAdapters = "model adapters";
/// The rows that its tables have from there on.
inline constexpr const char* kModelRows = "model resize_token_embeddings";
/// The class that loads it, where its head is no language model's.
inline constexpr const char* kModelHead = "model head";
/// Another model on the GPU beside it: its name, and which of the four words below it is; between
/// the first of them and the others its type, empty as its checkpoint has it.
inline constexpr const char* kSecondModel = "model beside";
inline constexpr const char* kSameModel = "same";  ///< as many weights as the trained one
inline constexpr const char* kQuantisedModel = "quantised";
inline constexpr const char* kAverageModel = "average";  ///< of the weights: none runs it
inline constexpr const char* kShardedModel = "sharded";
/// Another model that stays in host memory.
inline constexpr const char* kHostModel = "model on host";
/// A function of another file that may load one: its name, and what it is told to load.
inline constexpr const char* kUnreadModel = "model elsewhere";
/// Several models of which no Trainer is given one.
inline constexpr const char* kAnyModel = "model of several";

/// Calls of it whose graphs a backward pass finds kept: how many, "0" where that is not known.
inline constexpr const char* kModelGraphs = "model graphs";

/// A call of it in an evaluation, with no backward pass, that keeps its graph.
inline constexpr const char* kEvaluationGraph = "model evaluated with its graph";

/// What it is told to keep beside: "output_attentions", "output_hidden_states", "create_graph".
inline constexpr const char* kModelKeeps = "model keeps";
/// A loop that copies its weights, one by one.
inline constexpr const char* kModelCopies = "model copies";

/// The part of the model whose weights alone the one optimizer is given.
inline constexpr const char* kOptimizedPart = "model part of the optimizer";

/// fully_shard is given the whole model and none of its layers.
inline constexpr const char* kWholeUnit = "model as one unit";

/// A loop around fully_shard that its first layer ends.
inline constexpr const char* kSomeUnits = "model some units";

/// Some layers are recomputed, or some operations of each: the call that says so.
inline constexpr const char* kSomeCheckpoints = "model recomputes some layers";

/// Words that are about other models than the trained one, or about adapters that it has no more.
std::vector<bool> wordsOfOthers(const PythonValues& program, const PythonModels& models);

/// get_peft_model(model) and its like, and merge_and_unload().
bool givesAdapters(const ModelDeed& deed);
bool takesAdapters(const ModelDeed& deed);

/// Adds the key that one deed is, if any.
void addDeedKey(const PythonValues& program, const ModelDeed& deed, LaunchKeys& keys);

/// Adds these keys. Methods that are not known are "model.foo()", which nobody reads.
void addModelKeys(const PythonValues& program,
                  const PythonCourse& course,
                  const PythonModels& models,
                  LaunchKeys& keys);

/// Adds those that are followed beside the trained one: kSecondModel, kHostModel.
void addSecondModels(const PythonValues& program, const PythonModels& models, LaunchKeys& keys);

/// Adds what may load another model and is not followed: kUnreadModel.
void addUnreadModels(const PythonValues& program,
                     const PythonCourse& course,
                     const PythonModels& models,
                     LaunchKeys& keys);

/// Adds what the program keeps beside the model and its activations: kModelKeeps, kModelCopies.
void addModelExtras(const PythonValues& program,
                    const PythonCourse& course,
                    const PythonModels& models,
                    LaunchKeys& keys);

/// Adds kSomeCheckpoints.
void addSomeCheckpoints(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// Adds kWholeUnit and kSomeUnits.
void addWholeUnit(const PythonValues& program,
                  const PythonCourse& course,
                  const PythonModels& models,
                  LaunchKeys& keys);

}  // namespace fabricast
