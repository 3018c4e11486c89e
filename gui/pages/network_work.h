#pragma once
#include "gui/jobs/latest_job.h"
#include "gui/models/failure_view.h"
#include "study/question.h"
#include "study/workbench.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fabricast {

/// A layout, its cluster, and what has failed there.
struct NetworkQuestion {
    Question about;
    TopologyAsk cluster;
    std::vector<std::string> failed;
    std::shared_ptr<const NetworkStep> healthy;  ///< null: to be simulated
};

/// How far the answer is: the network, then the step without failures, then with them.
struct NetworkFound {
    Result<NetworkState> state;
    std::shared_ptr<const NetworkStep> healthy;
};

/// Names that this network does not have, as after another cluster was chosen, are left out.
LatestJob::Work networkWork(NetworkQuestion question,
                            const Workbench& bench,
                            std::function<void(NetworkFound)> take);

}  // namespace fabricast
