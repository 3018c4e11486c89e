#include "study/search_size.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace fabricast {
namespace {

Result<void> checkNodes(const ClusterSpec& cluster, std::int64_t most) {
    const std::int64_t node = std::max<std::int64_t>(1, cluster.node.gpus);
    return cluster.nodes <= most / node
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      "cluster.nodes",
                      std::to_string(cluster.nodes) + " nodes of " + std::to_string(node) +
                          " GPUs are more than the " + std::to_string(most) +
                          " GPUs that are searched",
                      "-n " + std::to_string(most / node));
}

struct Counted {
    const char* what;
    std::int64_t count;
    std::int64_t most;
};

/// What of a model there is too much of; none where it can be searched.
std::optional<Counted> tooMuchOf(const ModelSpec& model, const SearchSize& most) {
    const std::int64_t experts = model.moe ? model.moe->experts : 0;
    const std::array all = {
        Counted{"layers", model.layers, most.layers},
        Counted{"experts in a layer", experts, most.experts},
        Counted{"experts in all layers", experts * model.layers, most.allExperts}};
    const auto* const found =
        std::ranges::find_if(all, [](const Counted& one) { return one.count > one.most; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

Result<void> checkSearchSize(const ModelSpec& model,
                             const ClusterSpec& cluster,
                             const SearchSize& most) {
    FABRICAST_TRY(checkNodes(cluster, most.gpus));
    const std::optional<Counted> beyond = tooMuchOf(model, most);
    if (!beyond) {
        return {};
    }
    const bool isOfEachWay = most.layers < kPlanSize.layers;
    return fail(Error::Code::Unsupported,
                "model",
                model.name + " has " + std::to_string(beyond->count) + " " + beyond->what +
                    ", more than the " + std::to_string(beyond->most) + " that are searched" +
                    (isOfEachWay ? " for each way to train" : ""),
                isOfEachWay && !tooMuchOf(model, kPlanSize)
                    ? "fabricast plan, which searches once and takes " +
                          std::to_string(kPlanSize.layers) + " layers"
                    : std::string("fabricast explain, with a stack and a layout"));
}

}  // namespace fabricast
