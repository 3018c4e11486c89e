#pragma once
#include "planner/launch/weight_conditions.h"
#include "planner/spec/trained_part.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What Axolotl's `unfrozen_parameters` leaves to be trained of a model with so many layers, where
/// it is a part that `settings.train` can say: its patterns match from the first letter of a
/// weight's name, and their dots are dots. Empty where it is another set of weights, or rows of
/// one.
///     unfrozenPart({"^model.layers.3[01].", "^model.norm", "^lm_head"}, 32)  →  last:2
std::optional<TrainedPart> unfrozenPart(const std::vector<std::string>& patterns,
                                        std::int64_t layers);

/// The patterns that leave such a part to be trained: what `unfrozenPart` reads as that part.
std::vector<std::string> unfrozenPatterns(const TrainedPart& part, std::int64_t layers);

/// What a program says of some weights: "for n, p in model.layers[-4:].named_parameters(): if … in
/// n: p.requires_grad = …".
struct WeightSwitch {
    std::string part;      ///< "model.layers[-4:]"; empty: all
    NameCondition asked;   ///< of which weights
    NameCondition trains;  ///< whether they are trained from there on
};

/// What is trained after all that.
struct SwitchedWeights {
    std::optional<TrainedPart>
        part{};                 ///< the smallest that has them all; nothing: none is trained
    bool isLess = false;        ///< it has others, too
    bool hasHeadAlone = false;  ///< the head is trained, and not the embedding
};

/// The weights of a model with so many layers that a program leaves to be trained, which all are at
/// first, or none. Empty where a part of it is not known.
std::optional<SwitchedWeights> switchedWeights(std::span<const WeightSwitch> switches,
                                               bool areAll,
                                               std::int64_t layers);

}  // namespace fabricast
