#pragma once
#include "planner/ops/model_facts.h"

#include <string>

namespace fabricast {

/// A model's parameters by component and its FLOPs per token under each convention.
///     llama-3.1-8b  8,030,261,248 parameters
std::string modelText(const ModelFacts& facts);
std::string modelMarkdown(const ModelFacts& facts);
/// One table of both: name, kind, value.
std::string modelCsv(const ModelFacts& facts);

}  // namespace fabricast
