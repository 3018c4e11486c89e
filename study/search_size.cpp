#include "study/search_size.h"

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

tl::unexpected<Error> tooMany(const ModelSpec& model,
                              std::int64_t count,
                              const std::string& what,
                              std::int64_t most) {
    return fail(Error::Code::Unsupported,
                "model",
                model.name + " has " + std::to_string(count) + " " + what + ", more than the " +
                    std::to_string(most) + " that are searched",
                "fabricast explain, with a stack and a layout");
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
        return tooMany(model, model.layers, "layers", most.layers);
    }
    const std::int64_t experts = model.moe ? model.moe->experts : 0;
    if (experts > most.experts) {
        return tooMany(model, experts, "experts in a layer", most.experts);
    }
    if (experts * model.layers > most.allExperts) {
        return tooMany(model, experts * model.layers, "experts in all layers", most.allExperts);
    }
    return {};
}

}  // namespace fabricast
