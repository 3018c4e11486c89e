#include "planner/launch/started_ranks.h"

#include "planner/base/checked.h"

#include <string>

namespace fabricast {

Result<std::optional<StartedRanks>> startedRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string typedNodes = keys.text("torchrun --nnodes").value_or("");
    if (typedNodes.starts_with("$")) {
        draft.note("--nnodes " + typedNodes + " is not known: -n says how many");
        return std::optional<StartedRanks>();
    }
    FABRICAST_ASSIGN(const auto nodes, keys.whole("torchrun --nnodes"));
    FABRICAST_ASSIGN(const auto all, keys.whole("torchrun --num_processes"));
    if (all && *all > 0) {
        return std::optional(StartedRanks{*all, "torchrun --num_processes"});
    }
    for (const char* const flag :
         {"torchrun --nproc-per-node", "torchrun --nproc_per_node", "torchrun --num_gpus"}) {
        if (keys.text(flag).value_or("").starts_with("$")) {
            draft.note("the ranks of a node are not known: the cluster says how many");
            return std::optional<StartedRanks>();
        }
        FABRICAST_ASSIGN(const auto each, keys.whole(flag));
        if (each && *each > 0 && nodes.value_or(1) > 0) {
            return std::optional(StartedRanks{saturatingProduct(*each, nodes.value_or(1)),
                                              nodes ? "torchrun --nnodes" : flag});
        }
    }
    return std::optional<StartedRanks>();
}

}  // namespace fabricast
