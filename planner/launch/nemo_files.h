#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

/// The last release of NeMo with a training loop for language models.
inline constexpr std::string_view kNemoVersions = "2.7.3";
inline constexpr std::string_view kNewestNemo = "2.7.3";

/// train.py, which makes a model, a MegatronStrategy and a Trainer of NeMo 2, and calls
/// llm.pretrain, or llm.finetune with adapters.
Result<LaunchFiles> nemoFiles(const LaunchFacts& facts);

}  // namespace fabricast
