#pragma once
#include "planner/ops/attention_kernels.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// The angles that a layer's queries and keys are turned by.
struct Rotary {
    TensorId first = kNoTensor;   ///< complex table, or cos
    TensorId second = kNoTensor;  ///< sin
};

/// Declares the rotary table: shared by all layers, or gathered per layer from position ids.
Rotary rotaryTable(OpBuilder& g, const Scenario& scenario, const RankShape& shape);
TensorId rotate(OpBuilder& g, const Scenario& scenario, const Rotary& table, TensorId x);

/// Whether FSDP2 casts the tables that a layer is given to the type that computes. It does not
/// where backward runs the layer again.
bool castsRotaryTables(const Scenario& scenario);

/// Bytes of the tables that all layers of a pass share.
std::vector<std::int64_t> rotaryTableBytes(const Scenario& scenario);

/// Llama 4's queries and keys: layers that attend within chunks turn them as complex numbers and
/// may divide each head by its length; the others have no positions, and may scale queries by how
/// far into the sequence they are.
Projected positionedInWindows(OpBuilder& g,
                              const Scenario& scenario,
                              const Rotary& table,
                              const Projected& projections,
                              std::int64_t layer);

}  // namespace fabricast
