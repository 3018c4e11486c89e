#pragma once
#include "planner/comm/rank_tensors.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Modules that fully_shard wrapped alike: what is gathered for one, and what its gradients take.
struct FsdpUnit {
    CommPlace place = CommPlace::Block;
    bool sparse = false;
    std::int32_t chunk = 0;
    std::int64_t count = 1;
    GroupKind group = GroupKind::Shard;
    std::int64_t ranks = 1;
    std::int64_t elements = 0;  ///< whole, padded
    std::int64_t packed = 0;    ///< bytes of a quantised base, beside them
    /// What is reduced in one call each; a chunked loss has the head's gradient apart.
    std::vector<std::int64_t> reduced;
    bool kept = false;        ///< not gathered again for backward
    bool lossGather = false;  ///< and gathered once more, for a loss in chunks
};

/// This is how FSDP2 groups the parameters of a stage. torchtitan wraps the embedding, every block,
/// and [norm, head]; a tied weight is in its one end unit twice. With expert parallelism the
/// experts of a block are a unit of their own. Others wrap blocks and the root.
std::vector<FsdpUnit> fsdpUnits(const StageView& view, const ChunkView& chunk);

/// Tensors whose norm is one entry of the gradient norm's vector: of the dense mesh, and of the
/// experts'.
struct NormEntries {
    std::int64_t dense = 0;
    std::int64_t experts = 0;
};
NormEntries normEntries(const StageView& view);

}  // namespace fabricast
