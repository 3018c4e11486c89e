#pragma once
#include "planner/base/units.h"
#include "planner/ops/parameters.h"
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// FLOPs per token of one training step as one convention counts them; empty where it cannot.
struct FlopsFact {
    std::string_view convention;
    std::string_view formula;
    std::optional<Flops> perToken;
    std::string why;  ///< if there is no number
};

/// One component's share of the parameters. Those not in the total are marked.
struct PartFact {
    std::string_view key;  ///< "routed_experts"
    std::int64_t parameters = 0;
    bool inTotal = true;
};

/// What follows from a model's shape alone: its size, part by part, and its work per token.
///     const ModelFacts facts = modelFacts(model, 8192);
struct ModelFacts {
    ModelSpec model;
    ParameterCount count;
    std::vector<PartFact> parts;  ///< every component, also those of no parameters
    std::int64_t sequence = 0;
    std::vector<FlopsFact> flops;
    std::optional<std::int64_t> published;  ///< parameters, as the publisher counts them
    std::string publishedSource;
};
ModelFacts modelFacts(const ModelSpec& model, std::int64_t sequence);

}  // namespace fabricast
