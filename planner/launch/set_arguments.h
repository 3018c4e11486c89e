#pragma once
#include "planner/launch/python_branches.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a call sets of TrainingArguments: "per_device_train_batch_size" to 16.
struct SetArgument {
    std::string field;
    std::vector<std::string> values;
    std::size_t at = 0;  ///< the word that says it, or the call
};

/// The name of the object that the call here may set arguments of; 0 where there is none:
/// args.set_training(…), setattr(args, …), args = dataclasses.replace(args, …).
std::size_t objectSetAt(const PythonValues& program, std::size_t at);

/// What that call sets, a method with what it has where it is not told; nothing of other calls. A
/// field that is worked out is "**": any of them.
std::vector<SetArgument> setArgumentsAt(const PythonValues& program, std::size_t at);

/// Whether trainer.train() runs in the same block before this word, and no loop runs it again.
/// `classes`: what the names are made of.
bool followsTraining(const PythonValues& program,
                     const PythonCourse& course,
                     const std::map<std::string, std::string>& classes,
                     std::size_t at);

}  // namespace fabricast
