#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <string>

namespace fabricast {

/// The type that a Trainer's script loads weights in: `--dtype`, `--torch_dtype`, or what the
/// script does without. Where nothing makes fp32 copies of them, they are trained in it.
struct LoadedWeights {
    std::string dtype;  ///< "float32", "bfloat16", "float16"
    std::string from;   ///< the key that says it
};
Result<LoadedWeights> loadedWeights(ScenarioDraft& draft);

/// Says it of a draft whose sharding and precision are known. FSDP2 under Accelerate stores fp32
/// weights and DeepSpeed has fp32 masters, whatever is loaded; DDP and one GPU train the weights
/// as they are. Of adapters it is the base's type.
Result<void> importLoadedWeights(ScenarioDraft& draft, bool autocast);

}  // namespace fabricast
