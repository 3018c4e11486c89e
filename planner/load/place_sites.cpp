#include "planner/load/place_sites.h"

#include "planner/base/quantity_text.h"
#include "planner/spec/check_settings.h"

namespace fabricast {
namespace {

constexpr const char* kWan = "wan";

/// A line, or its latency, that nothing crosses.
Result<void> checkUsed(const ClusterRequest& request) {
    if (!request.wan && !request.wanLatency) {
        return {};
    }
    return fail(Error::Code::BadInput,
                request.wan ? "cluster.wan" : "cluster.wan_latency",
                "there is one site, so nothing uses it",
                "--sites 2");
}

}  // namespace

Result<void> placeSites(const ClusterRequest& request,
                        const ProfileStore& profiles,
                        ClusterSpec& cluster,
                        std::vector<std::string>& assumed) {
    const std::int64_t count = request.sites.value_or(1);
    if (count == 1) {
        return checkUsed(request);
    }
    if (!request.wan) {
        return fail(Error::Code::BadInput,
                    "cluster.sites",
                    "the rate between the sites is not given",
                    "--wan 100Gbps");
    }
    FABRICAST_ASSIGN(const FabricSpec wan, profiles.fabric(kWan, "cluster.wan"));
    cluster.sites = {.count = count,
                     .rate = *request.wan,
                     .efficiency = wan.efficiency.value.value_or(1.0),
                     .latency = request.wanLatency.value_or(Seconds())};
    assumed.push_back("of the " + shortText(cluster.sites.rate) + " between sites " +
                      percentText(cluster.sites.efficiency) +
                      " carry data (fabricast profiles show wan); collectives run inside each site "
                      "first, then between sites");
    if (!request.wanLatency) {
        assumed.emplace_back("no latency between sites (--wan-latency 10ms sets it)");
    }
    return {};
}

Result<void> checkSites(const ClusterSpec& cluster) {
    const std::int64_t sites = cluster.sites.count;
    if (sites == 1) {
        return {};
    }
    if (cluster.nodes % sites != 0) {
        const std::int64_t below = cluster.nodes / sites * sites;
        const std::int64_t above = below + sites;
        return fail(Error::Code::BadInput,
                    "cluster.sites",
                    std::to_string(cluster.nodes) +
                        (cluster.nodes == 1 ? " node is" : " nodes are") +
                        " not divided evenly over " + std::to_string(sites) + " sites",
                    below > 0 ? "-n " + std::to_string(below) + " or " + std::to_string(above)
                              : "-n " + std::to_string(above));
    }
    if (!hasNetwork(cluster)) {
        return fail(Error::Code::BadInput,
                    "cluster.sites",
                    "several sites, but \"" + cluster.node.name + "\" has no NICs or no network",
                    "name a network: --fabric tcp-100");
    }
    return {};
}

}  // namespace fabricast
