#pragma once
#include "planner/base/result.h"
#include "planner/ops/parameters.h"
#include "planner/spec/scenario.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricast {

/// One weight as a rank has it, after tensor and expert parallelism: [rows, cols], or for experts
/// that lie in one tensor [copies, rows, cols]. A vector has one column.
struct RankTensor {
    std::int64_t copies = 1;
    std::int64_t rows = 0;
    std::int64_t cols = 1;
    Part part = Part::Mlp;
    Split split = Split::Replicated;
    bool vector = false;
    bool bias = false;  ///< of the weight before it
    bool trained = true;

    [[nodiscard]] std::int64_t elements() const { return copies * rows * cols; }
    [[nodiscard]] bool isExpert() const { return part == Part::RoutedExperts; }
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
    std::int64_t plain = 0;        ///< the last ones, which `block:N` does not checkpoint
    std::int64_t plainSparse = 0;  ///< of them
    std::int64_t predictions = 0;  ///< multi-token-prediction layers after them (Megatron)
};

/// Layers of one kind in a chunk: they make the same calls.
struct LayerKind {
    bool sparse = false;
    std::int64_t count = 0;
    std::int64_t layer = 0;  ///< one of them
    bool frozen = false;     ///< before the first trained weight: backward does not come here
    std::int64_t plain = 0;  ///< of `count`: `block:N` does not checkpoint them
};

/// This is what one pipeline rank holds of the model: its chunks, and how many ranks share its
/// parameters and states. Sharding, memory and communication all start from it.
struct StageShape {
    const Scenario* scenario = nullptr;  ///< outlives the shape
    std::int64_t stage = 0;
    std::int64_t tensorRank = 0;  ///< matters only where a vocabulary does not divide
    std::vector<ChunkView> chunks;
    bool folded = false;            ///< the pipeline goes down the ranks and up again
    std::int64_t shards = 1;        ///< ranks that share one copy of the dense states
    std::int64_t copies = 1;        ///< such groups
    std::int64_t expertShards = 1;  ///< of the experts'
    bool shardsContext = false;     ///< the shards are the context parallel ranks alone
    /// Weights of a dense, of a sparse and of a frozen layer: empty until `layerTensors` is asked
    /// for them.
    mutable std::array<std::vector<RankTensor>, 3> layerLists;

    [[nodiscard]] const Layout& layout() const { return scenario->layout; }
    [[nodiscard]] const ModelSpec& model() const { return scenario->model; }
    [[nodiscard]] const Settings& settings() const { return scenario->settings; }
    [[nodiscard]] bool pipelined() const { return layout().pp > 1; }
    [[nodiscard]] bool recomputes() const {
        return settings().recompute.kind != Checkpointing::None;
    }
    [[nodiscard]] std::vector<LayerKind> kinds(const ChunkView& chunk) const;
};
Result<StageShape> stageShape(const Scenario& scenario,
                              std::int64_t stage,
                              std::int64_t tensorRank = 0);

/// Megatron's own layers, or Transformer Engine's.
bool isMegatronCode(const Settings& settings);

/// Whether Megatron's optimizer states are cut between data parallel ranks.
bool distributesOptimizer(const Scenario& scenario);

/// Whether a schedule goes down the ranks and up again: rank r has chunks r and 2p-1-r.
bool isFolded(ScheduleKind schedule);
/// Whether a model chunk, in the order a microbatch visits them, lives on a pipeline rank.
/// DualPipe's ranks hold two stages each, one for either direction.
bool isOnRank(const Layout& layout, std::int64_t chunk, std::int64_t rank);

}  // namespace fabricast
