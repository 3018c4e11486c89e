#pragma once
#include "planner/spec/trained_part.h"

#include <cstdint>
#include <optional>
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

}  // namespace fabricast
