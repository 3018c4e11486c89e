#pragma once
#include "planner/ops/parameters.h"

#include <string>
#include <vector>

namespace fabricast {

/// What the lists of parameters are put together from.
using Parameters = std::vector<Parameter>;

void append(Parameters& list, Parameters more);
Parameter matrix(std::string name, Part part, Split split, std::int64_t rows, std::int64_t cols);
Parameter bias(std::string name, Part part, Split split, std::int64_t rows);
/// The weight, and its bias if it has one.
Parameters linear(const Parameter& weight, bool hasBias);
Parameters norm(NormKind kind, const std::string& name, Part part, std::int64_t width);

Parameters attentionParameters(const ModelSpec& model);
/// The dense MLP of a layer.
Parameters mlpParameters(const ModelSpec& model);
/// Router, routed experts and shared experts of a sparse layer.
Parameters expertParameters(const ModelSpec& model, const MoeSpec& moe);

}  // namespace fabricast
