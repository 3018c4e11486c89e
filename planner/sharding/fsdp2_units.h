#pragma once
#include "planner/sharding/rank_tensors.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// torchtitan wraps the embedding, each layer, and [norm, head]; others wrap each layer and the
/// root.
bool wrapsEnds(const Scenario& scenario);
/// Tied ends in one pipeline stage are one unit, entered at the embedding and left at the head.
bool sharesEnds(const Scenario& scenario);
/// A table tied to the head is one parameter of transformers' root, and two of torchtitan's ends,
/// except in DTensor's parallel regions: these leave a model without tensor parallelism as it is.
bool tiesOneParameter(const Scenario& scenario);
/// Whether stacks of experts are cut along their rows: whole ones, unless there are more ranks than
/// experts.
bool cutsExpertRows(const StageShape& stage);

/// Whether parameters stay gathered from forward to backward: of layers, and of the unit that is
/// the last of forward and the first of backward, [norm, head] or the root.
struct FsdpKeeps {
    bool layers = false;
    bool last = false;
};
FsdpKeeps fsdpKeeps(const Scenario& scenario);

/// A weight as fully_shard cuts it: [rows, columns], or [stack, rows, columns].
struct FsdpWeight {
    std::int64_t stack = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    bool alongRows = true;  ///< each of the stack by its rows; false: the stack
};
/// Elements of one rank's shard: the dimension that is cut is padded to the ranks.
std::int64_t fsdpShard(const FsdpWeight& weight, std::int64_t ranks);

/// What a unit wraps. `Root` is the whole model, less what is wrapped inside it; `Experts` are the
/// experts of a layer where they are sharded over ranks of their own.
enum class FsdpWrap { Embedding, Layer, Experts, Head, Root };

/// Identically wrapped modules of fully_shard: what is gathered for one, and what its gradients
/// take.
struct FsdpUnit {
    FsdpWrap wraps = FsdpWrap::Layer;
    bool sparse = false;
    std::int32_t chunk = 0;
    std::int64_t count = 1;
    std::int64_t ranks = 1;
    std::int64_t elements = 0;  ///< whole, padded
    std::int64_t packed = 0;    ///< bytes of a quantised base, in addition
    /// What is reduced in one call each; a chunked loss has the head's gradient apart.
    std::vector<std::int64_t> reduced;
    bool kept = false;        ///< not gathered again for backward
    bool lossGather = false;  ///< and gathered once more, for a loss in chunks
};

/// This is how FSDP2 groups the parameters of a stage. torchtitan wraps the embedding, every block,
/// and [norm, head]; a tied weight is in its one end unit twice. With expert parallelism the
/// experts of a block are a unit of their own. Others wrap blocks and the root, or the root alone.
std::vector<FsdpUnit> fsdpUnits(const StageShape& view, const ChunkView& chunk);

/// Tensors whose norm is one entry of the gradient norm's vector: of the dense mesh, and of the
/// experts'.
struct NormEntries {
    std::int64_t dense = 0;
    std::int64_t experts = 0;
};
NormEntries normEntries(const StageShape& view);

}  // namespace fabricast
