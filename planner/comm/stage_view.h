#pragma once
#include "planner/base/result.h"
#include "planner/comm/comm_call.h"
#include "planner/comm/rank_tensor.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/scenario.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricast {

/// Which rank is asked about: of its tensor parallel group only where a vocabulary does not divide.
struct CommRank {
    std::int64_t stage = 0;
    std::int64_t tensorRank = 0;
    bool logs = false;  ///< torchtitan: in a step that prints its loss
};

/// One model chunk of a pipeline rank.
struct ChunkView {
    std::int32_t index = 0;     ///< among the rank's own
    std::int64_t position = 0;  ///< among all, as a microbatch visits them
    bool first = false;
    bool last = false;
    std::int64_t begin = 0;  ///< its first layer
    std::int64_t layers = 0;
    std::int64_t sparse = 0;       ///< layers of them with experts
    std::int64_t predictions = 0;  ///< multi-token-prediction layers after them (Megatron)
};

/// Layers of one kind in a chunk: they make the same calls.
struct LayerKind {
    bool sparse = false;
    std::int64_t count = 0;
    std::int64_t layer = 0;  ///< one of them
};

/// This is what one pipeline rank has to do in a step: its chunks, its microbatches, and the sizes
/// of the groups it belongs to. Every piece of the calls reads it.
struct StageView {
    const Scenario* scenario = nullptr;  ///< outlives the view
    CommRank rank;
    RankShape shape;
    std::vector<ChunkView> chunks;
    std::int64_t microBatches = 1;  ///< of a step
    std::int64_t passes = 1;        ///< through the pipeline, or micro-steps without one
    bool folded = false;            ///< the pipeline goes down the ranks and up again
    std::int64_t shards = 1;        ///< ranks that share one copy of the dense states
    std::int64_t copies = 1;        ///< such groups
    std::int64_t expertShards = 1;  ///< of the experts'
    GroupKind shardGroup = GroupKind::Shard;
    GroupKind copyGroup = GroupKind::Replicate;
    WireType compute = WireType::Bf16;
    WireType reduce = WireType::Fp32;
    /// Weights of a dense and of a sparse layer: empty until `layerTensors` is asked for them.
    mutable std::array<std::vector<RankTensor>, 2> layerLists;

    [[nodiscard]] const Layout& layout() const { return scenario->layout; }
    [[nodiscard]] const ModelSpec& model() const { return scenario->model; }
    [[nodiscard]] const Settings& settings() const { return scenario->settings; }
    [[nodiscard]] bool pipelined() const { return layout().pp > 1; }
    [[nodiscard]] bool recomputes() const {
        return settings().recompute.kind != Checkpointing::None;
    }
    [[nodiscard]] std::vector<LayerKind> kinds(const ChunkView& chunk) const;
};

/// Refuses what no group of ranks could run; what a stack refuses is for its own rules to say.
Result<StageView> stageView(const Scenario& scenario, CommRank rank);

/// Megatron's own layers, or Transformer Engine's.
bool isMegatronCode(const Settings& settings);

WireType wireType(Dtype type);

using Calls = std::vector<CommCall>;
/// Leaves out what is never made.
void add(Calls& calls, const CommCall& call);
void append(Calls& calls, const Calls& more);

}  // namespace fabricast
