#include "planner/spec/check_settings.h"

#include <algorithm>

namespace fabricast {

bool hasNetwork(const ClusterSpec& cluster) {
    const NodeSpec& node = cluster.node;
    const FabricSpec& fabric = cluster.fabric;
    return fabric.kind != "none" && !fabric.kind.empty() && node.nics.value.value_or(0) > 0 &&
           (node.nicBandwidth.value || fabric.linkBandwidth.value);
}

Result<void> checkNetwork(const ClusterSpec& cluster) {
    const std::int64_t joined = std::max(cluster.node.domainGpus, cluster.node.gpus);
    if (cluster.gpus() <= joined || hasNetwork(cluster)) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "cluster",
                "several nodes, but \"" + cluster.node.name + "\" has no NICs or no network",
                "-n 1, or name a network: --fabric ib-ndr");
}

}  // namespace fabricast
