#pragma once
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// transformers' GPT-2 multiplies by its weights as they are stored; others call nn.Linear.
bool usesConv1d(const Scenario& scenario);

struct LinearSize {
    std::int64_t inputs = 0, outputs = 0, tokens = 0;
    bool bias = false;
};

/// A linear module: its weight, its bias if it has one, and one GEMM.
TensorId linearModule(OpBuilder& g, std::string_view name, TensorId x, const LinearSize& size);

struct Projected {
    TensorId q, k, v;
};

/// Queries, keys and values of one attention, each query and key normed by head where the model
/// does that.
Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x);

}  // namespace fabricast
