#include "planner/memory/check_modelled.h"

#include "planner/memory/check_lora.h"
#include "planner/ops/layer_segment.h"
#include "planner/spec/check_allocator.h"
#include "planner/spec/check_liger.h"
#include "planner/spec/check_phases.h"
#include "planner/spec/check_reference.h"
#include "planner/spec/check_saved_on_host.h"
#include "planner/spec/check_trained.h"

namespace fabricast {

Result<void> checkModelled(const Scenario& scenario) {
    FABRICAST_TRY(checkExperts(scenario));
    FABRICAST_TRY(checkLora(scenario));
    FABRICAST_TRY(checkTrained(scenario));
    FABRICAST_TRY(checkSavedOnHost(scenario));
    FABRICAST_TRY(checkLiger(scenario));
    FABRICAST_TRY(checkAllocator(scenario.settings));
    FABRICAST_TRY(checkPhases(scenario));
    return checkReference(scenario);
}

}  // namespace fabricast
