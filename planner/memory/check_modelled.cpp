#include "planner/memory/check_memory.h"
#include "planner/ops/layer_segment.h"
#include "planner/spec/check_settings.h"

namespace fabricast {

Result<void> checkModelled(const Scenario& scenario) {
    FABRICAST_TRY(checkExperts(scenario));
    FABRICAST_TRY(checkLora(scenario));
    FABRICAST_TRY(checkTrained(scenario));
    FABRICAST_TRY(checkSavedOnHost(scenario));
    FABRICAST_TRY(checkLiger(scenario));
    FABRICAST_TRY(checkAllocator(scenario.settings));
    FABRICAST_TRY(checkNccl(scenario.settings.nccl));
    FABRICAST_TRY(checkPhases(scenario));
    return checkReference(scenario);
}

}  // namespace fabricast
