#include "study/search_size.h"

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

/// `plan`: how many of them one search takes, where there is one for each way to train.
tl::unexpected<Error> tooMany(const ModelSpec& model,
                              std::int64_t count,
                              const std::string& what,
                              std::int64_t most,
                              std::int64_t plan) {
    const bool isOfEachWay = most < plan;
    return fail(Error::Code::Unsupported,
                "model",
                model.name + " has " + std::to_string(count) + " " + what + ", more than the " +
                    std::to_string(most) + " that are searched" +
                    (isOfEachWay ? " for each way to train" : ""),
                isOfEachWay && count <= plan
                    ? "fabricast plan, which searches once and takes " + std::to_string(plan)
                    : std::string("fabricast explain, with a stack and a layout"));
}

}  // namespace

Result<void> checkSearchSize(const ModelSpec& model,
                             const ClusterSpec& cluster,
                             const SearchSize& most) {
    const std::int64_t node = std::max<std::int64_t>(1, cluster.node.gpus);
    if (cluster.nodes > most.gpus / node) {
        return fail(Error::Code::Unsupported,
                    "cluster.nodes",
                    std::to_string(cluster.nodes) + " nodes of " + std::to_string(node) +
                        " GPUs are more than the " + std::to_string(most.gpus) +
                        " GPUs that are searched",
                    "-n " + std::to_string(most.gpus / node));
    }
    if (model.layers > most.layers) {
        return tooMany(model, model.layers, "layers", most.layers, kPlanSize.layers);
    }
    const std::int64_t experts = model.moe ? model.moe->experts : 0;
    if (experts > most.experts) {
        return tooMany(model, experts, "experts in a layer", most.experts, kPlanSize.experts);
    }
    if (experts * model.layers > most.allExperts) {
        return tooMany(model,
                       experts * model.layers,
                       "experts in all layers",
                       most.allExperts,
                       kPlanSize.allExperts);
    }
    return {};
}

}  // namespace fabricast
