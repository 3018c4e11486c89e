#include "planner/estimate/evidence_class.h"

#include "planner/stack/software_name.h"

namespace fabricast {

std::string evidenceClass(const Scenario& scenario) {
    return "all/" + std::string(softwareName(scenario.settings)) +
           (scenario.model.moe ? "/sparse" : "/dense");
}

}  // namespace fabricast
