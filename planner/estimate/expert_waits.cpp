#include "planner/estimate/expert_waits.h"

namespace fabricast {

std::string expertWaitsNote(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const bool waits = scenario.model.moe && layout.pp > 1 && layout.ep > 1 &&
                       !scenario.settings.megatron.expertOverlap;
    return waits
               ? "all-to-alls of experts are counted as exposed: DualPipe's hiding of them behind "
                 "other microbatches is not modelled"
               : std::string();
}

}  // namespace fabricast
