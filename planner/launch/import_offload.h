#pragma once
#include "planner/launch/scenario_draft.h"

#include <string>

namespace fabricast {

/// Where DeepSpeed puts parameters and what the optimizer keeps, by the keys that say it: "cpu",
/// "nvme" or "none". One place for both, or for one of them, is modelled. Only ZeRO stage 3 has
/// parameters to move.
///     importDeepSpeedOffload(draft, "offload_param_device", "offload_optimizer_device", 3);
Result<void> importDeepSpeedOffload(ScenarioDraft& draft,
                                    const std::string& parametersKey,
                                    const std::string& optimizerKey,
                                    std::int64_t stage);

}  // namespace fabricast
