#pragma once
#include "planner/base/result.h"
#include "planner/comm/comm_call.h"
#include "planner/ops/rank_shape.h"
#include "planner/sharding/stage_shape.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Which rank is asked about: of its tensor parallel group only where a vocabulary does not divide.
struct CommRank {
    std::int64_t stage = 0;
    std::int64_t tensorRank = 0;
    bool logs = false;  ///< torchtitan: in a step that prints its loss
};

/// This is what one pipeline rank has to do in a step: its chunks, its microbatches, and the sizes
/// of the groups it belongs to. Every piece of the calls reads it.
struct StageView : StageShape {
    bool logs = false;  ///< a step that prints its loss
    RankShape shape;
    std::int64_t microBatches = 1;  ///< of a step
    std::int64_t passes = 1;        ///< through the pipeline, or micro-steps without one
    GroupKind shardGroup = GroupKind::Shard;
    GroupKind copyGroup = GroupKind::Replicate;
    WireType compute = WireType::Bf16;
    WireType reduce = WireType::Fp32;
};

/// Refuses what no group of ranks could run; a stack's own rules refuse the rest.
Result<StageView> stageView(const Scenario& scenario, CommRank rank);

WireType wireType(Dtype type);

using Calls = std::vector<CommCall>;
/// Leaves out what is never made.
void add(Calls& calls, const CommCall& call);
void append(Calls& calls, const Calls& more);

}  // namespace fabricast
