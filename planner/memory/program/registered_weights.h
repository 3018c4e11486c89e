#pragma once
#include "planner/memory/program/stage_program.h"
#include "planner/spec/model_spec.h"

#include <vector>

namespace fabricast {

/// A weight of a stage: one of a unit's.
struct WeightPlace {
    int unit = 0;
    int weight = 0;
};

/// The stage's weights as model.parameters() yields them: embedding, layers, final norm, head; in a
/// layer, the order in which the model's code registers its modules. Tied weights come once. Flat
/// buffers are filled in this order.
std::vector<WeightPlace> registeredWeights(const StageProgram& program, const ModelSpec& model);

}  // namespace fabricast
