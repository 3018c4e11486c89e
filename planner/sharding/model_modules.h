#pragma once
#include "planner/sharding/rank_tensors.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// A module of the model's own code, with the weights that are its own: containers and activations
/// have none. DeepSpeed's hooks see every one of them.
struct ModuleWeights {
    int depth = 0;            ///< below the model
    std::int64_t layer = -1;  ///< -1: outside of the layers
    bool inBackward = true;   ///< false: position embeddings, whose output needs no gradient
    bool leaves = true;       ///< false: its input needs no gradient, so backward never leaves it
    std::vector<std::size_t> weights;
};

/// This is the part of a model on a rank as engines without layers see it: weights in the
/// order of registration, and modules in the order in which forward calls them, each before its
/// parts.
struct ModelWeights {
    std::vector<RankTensor> tensors;
    std::vector<ModuleWeights> modules;
};
ModelWeights modelWeights(const StageShape& view);

/// Trained weights in the order in which their gradients are ready: those of the last modules
/// first. A tied table has its whole gradient only when backward is back at the embedding.
std::vector<std::size_t> gradientOrder(const ModelWeights& model);
/// The same weights as they are registered.
std::vector<std::size_t> registeredOrder(const ModelWeights& model);

}  // namespace fabricast
