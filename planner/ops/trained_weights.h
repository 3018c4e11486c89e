#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/parameters.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// Whether `settings.train` leaves this weight to be trained. `layer` is that of a layer's weight.
///     trainsWeight(scenario, parameter, layer)
bool trainsWeight(const Scenario& scenario, const Parameter& weight, std::int64_t layer);
/// The head has a weight of its own, or the table that it is tied to is trained.
bool trainsHead(const Scenario& scenario);
/// The first layer with a weight that is trained: nothing before it has a gradient.
std::int64_t firstTrainedLayer(const Scenario& scenario);
/// Of all weights, the tied table once.
std::int64_t elementsTrained(const Scenario& scenario);

/// Of the products of a step that trains everything (`perToken`, forward and backward), the share
/// that is left: no gradients before the first trained weight, none of frozen weights.
double trainedShare(const Scenario& scenario, double perToken);

/// Where layers are checkpointed the embedding's output asks for a gradient, trained or not.
bool asksForInputGradient(const Scenario& scenario);

/// How a segment is written where part of the model is frozen: what `builderOptions` says, and
/// which of its weights are trained.
OpBuilder::Options layerOptions(const Scenario& scenario, std::int64_t layer);
OpBuilder::Options embeddingOptions(const Scenario& scenario);
OpBuilder::Options headOptions(const Scenario& scenario);

}  // namespace fabricast
