#pragma once
#include "planner/ops/model_facts.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.model_facts/1" document: .parameters.total, .parameters.active,
/// .parameters.embedding and every other component; .flops_per_token[].flops by convention.
std::string modelJson(const ModelFacts& facts, std::string_view version);

/// A model's parameters by component and its FLOPs per token under each convention.
///     llama-3.1-8b  8,030,261,248 parameters
std::string modelText(const ModelFacts& facts);
std::string modelMarkdown(const ModelFacts& facts);
/// One table of both: name, kind, value.
std::string modelCsv(const ModelFacts& facts);

}  // namespace fabricast
