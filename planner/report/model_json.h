#pragma once
#include "planner/ops/model_facts.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.model_facts/1" document: .parameters.total, .parameters.active,
/// .parameters.embedding and every other component; .flops_per_token[].flops by convention.
std::string modelJson(const ModelFacts& facts, std::string_view version);

}  // namespace fabricast
