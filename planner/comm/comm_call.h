#pragma once
#include "planner/stack/rank_groups.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// The operator that a framework calls. `Coalesced` is one launch over several tensors, `List` the
/// interface that takes lists of tensors; both move the sum of them.
enum class CommOp {
    AllReduce,
    AllReduceCoalesced,
    AllGather,
    AllGatherCoalesced,
    AllGatherList,
    ReduceScatter,
    ReduceScatterCoalesced,
    ReduceScatterList,
    AllToAll,
    AllToAllList,
    Reduce,
    Broadcast,
    Send,
    Recv
};
enum class WireType { Fp64, Fp32, Bf16, Fp16, Fp8, Int64, Int32, Uint8, Bool };
enum class CommPhase { Forward, Recompute, Backward, Clip, Optimizer, Other };
/// What a call is for: with the phase and the place, what it can overlap with.
enum class CommUse {
    ParameterGather,
    GradientReduce,  ///< over data parallel ranks
    SharedGradient,  ///< of weights that several tensor parallel ranks or stages hold whole
    Activation,      ///< tensor and sequence parallelism
    InputRegather,   ///< the saved input of a weight gradient, during the input gradient's GEMM
    KeyValue,        ///< context parallelism
    Dispatch,        ///< tokens to experts and back, with their probabilities
    Routing,         ///< tokens per expert
    StageExchange,
    Loss,
    Bookkeeping  ///< norms, token counts, overflow flags, what is printed
};
/// Where in the model a call is made. `Block` is a whole layer; `Root` the unit of a wrapped model
/// that is not a layer; `Buckets` are ranges of parameters across layers.
enum class CommPlace {
    Attention,
    Mlp,
    Experts,
    Block,
    Embedding,
    Head,
    Root,
    Boundary,
    Buckets,
    Step
};
/// Recorded: at the operators of the framework itself. Read: in its code or papers only.
enum class CallSource { Recorded, Read };

/// This is one kind of call that one rank makes in a steady step. It is made `each` times in each
/// of `parts` identical places, for each of `times` (micro-batches, or once).
///     for (const CommCall& call : calls) total += call.count() * call.bytes();
struct CommCall {
    GroupKind group = GroupKind::DataContext;
    CommOp op = CommOp::AllReduce;
    WireType type = WireType::Bf16;
    CommPhase phase = CommPhase::Other;
    CommUse use = CommUse::Bookkeeping;
    CommPlace place = CommPlace::Step;
    CallSource source = CallSource::Recorded;
    bool sparse = false;     ///< in layers with experts
    std::int32_t chunk = 0;  ///< of the rank's model chunks, as it visits them
    /// Of the whole tensor on this rank: what a gather puts out, what anything else takes in.
    std::int64_t elements = 0;
    std::int64_t each = 1;
    std::int64_t parts = 1;
    std::int64_t times = 1;

    [[nodiscard]] std::int64_t count() const { return each * parts * times; }
    [[nodiscard]] std::int64_t totalElements() const { return count() * elements; }
    [[nodiscard]] std::int64_t bytes() const;  ///< of one call
    friend bool operator==(const CommCall&, const CommCall&) = default;
};

/// Bytes of one element.
std::int64_t wireBytes(WireType type);

}  // namespace fabricast
