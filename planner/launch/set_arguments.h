#pragma once
#include "planner/launch/python_values.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a method of TrainingArguments sets: "per_device_train_batch_size" to 16.
struct SetArgument {
    std::string field;
    std::vector<std::string> values;
    std::size_t at = 0;  ///< the word that says it, or the method
};

/// What args.set_training(batch_size=16) sets, of the method whose name stands here, with what it
/// has where it is not told; nothing of other methods.
std::vector<SetArgument> setArgumentsAt(const PythonValues& program, std::size_t at);

}  // namespace fabricast
