#include "planner/spec/one_site.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

bool trainsApart(const Scenario& scenario) {
    return scenario.cluster.sites.count > 1 && scenario.settings.outer.steps > 0;
}

OneSite::OneSite(const Scenario& scenario) : all_(scenario) {
    if (!trainsApart(scenario)) {
        return;
    }
    const std::int64_t sites = scenario.cluster.sites.count;
    own_ = std::make_unique<Scenario>(scenario);
    const auto divide = [sites](std::int64_t& count) {
        count = std::max<std::int64_t>(1, count / sites);  // what does not divide is refused
    };
    own_->cluster.sites = {};
    divide(own_->cluster.nodes);
    divide(own_->layout.dp);
    divide(own_->workload.globalBatch);
}

}  // namespace fabricast
