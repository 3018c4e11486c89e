#pragma once
#include "planner/base/result.h"
#include "planner/load/load_question.h"
#include "planner/request/scenario_json.h"
#include "planner/result/collective_answer.h"
#include "study/workbench.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fabricast {

/// One collective over the GPUs of a cluster, or over the first of them.
struct CollectiveAsk {
    std::string operation;  ///< "all_reduce", as torch or nccl-tests spells it
    Bytes size;             ///< as nccl-tests counts it: of the whole tensor
    ClusterRequest cluster;
    Folders folders;
    std::optional<std::int64_t> ranks;  ///< empty: all GPUs
    bool curve = false;                 ///< smaller sizes too
};

/// How long it takes when nothing else runs, by the same curves as a forecast of a step.
Result<CollectiveAnswer> collective(const CollectiveAsk& ask, const Workbench& bench);

}  // namespace fabricast
