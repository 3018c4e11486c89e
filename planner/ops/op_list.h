#pragma once
#include "planner/base/short_list.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

using TensorId = int;
inline constexpr TensorId kNoTensor = -1;
using TensorIds = ShortList<TensorId>;
using WeightIds = ShortList<int>;  ///< indices into OpList::weights
using ByteList = ShortList<std::int64_t, 2>;

/// Autocast runs GEMMs in a two-byte type.
inline constexpr std::int64_t kCastWidth = 2;

/// What a tensor's bytes are reported as while they wait for backward.
enum class TensorUse { Activation, Loss, Buffer };

/// A tensor of one segment on one rank. Views share the storage of `base`.
struct TensorInfo {
    std::int64_t bytes = 0;
    std::int64_t elements = 0;
    std::int64_t width = 2;  ///< bytes per element
    bool requiresGrad = true;
    TensorId base = kNoTensor;  ///< owner of the storage; itself, unless a view
    bool external = false;      ///< made outside: the segment's input, a table shared by layers
    int block = -1;             ///< the recomputed block that makes it
    bool discarded = false;     ///< freed after its last reader, filled again by its block
    TensorUse use = TensorUse::Activation;
};

/// How an op reads a stack of experts' matrices: whole, or one of them. The gradient of one is put
/// in zeros of the whole; backward comes to the first one last, and hands over what they sum to.
enum class StackUse { Whole, One, FirstOne };

enum class OpKind { Gemm, GroupedGemm, Attention, Norm, Pointwise, Copy, Collective, Lookup, Loss };

/// One operation as autograd sees it: what it reads, makes and keeps, and what its backward needs.
struct Op {
    OpKind kind = OpKind::Pointwise;
    std::string_view name;
    TensorIds inputs;
    TensorIds outputs;
    TensorIds saved;        ///< storages kept until this op's backward
    TensorIds toHost;       ///< of these, what Transformer Engine marks for its offload
    WeightIds weights;      ///< indices into OpList::weights
    ByteList forwardTemps;  ///< bytes live only while it runs
    ByteList backwardTemps;
    std::int64_t sumBytes = 0;           ///< while a weight's gradient is summed over its rows
    std::int64_t castsBeforeInput = 0;   ///< bytes that come and go before the input's gradient
    std::int64_t castsBeforeWeight = 0;  ///< and before the weight's
    bool passesGradient = false;         ///< add, reshape: hands the gradient on, uncopied
    bool viewsGradient = false;    ///< what it hands on is a view: autograd never adds into that
    bool narrowsGradient = false;  ///< by a cast, before which it lets go of what was recomputed
    bool inPlaceBackward = false;  ///< writes the inputs' gradients over the outputs'
    TensorIds gradientsOver;       ///< saved tensors that the inputs' gradients are written over
    TensorId weightGradient = kNoTensor;  ///< the weight's is this saved tensor, made in forward
    bool ownKernel = false;               ///< a GEMM whose forward is not cuBLAS's
    bool multipliesInside = false;        ///< no GEMM, but runs some
    bool inPython =
        false;  ///< a function in Python: saves last, holds it until its gradients' casts
    bool gradientInScratch = false;  ///< the input's gradient lies in the scratch buffer
    bool outsideSelective = false;   ///< a GEMM that selective checkpointing does not count
    bool keptBySelective = false;    ///< selective checkpointing keeps its outputs
    std::string_view module;         ///< for per-module recompute: "core_attn", "mlp", …
    int block = -1;                  ///< recomputed with its block: nothing it saves is kept
    int recomputes = -1;             ///< where backward reaches this op, this block runs again
    bool graphDropped = false;       ///< nothing leads back to it: what it saves is freed at once
    StackUse stack = StackUse::Whole;
    bool defersWeights = false;       ///< its weight gradients wait for the op that delivers them
    WeightIds delivers;               ///< weights whose waiting gradients are delivered here
    std::int64_t idBytes = 0;         ///< of the ids or labels that it saves, made outside
    TensorIds heldByGraph;            ///< alive until the pass's graph is freed, recomputed or not
    TensorIds attributes;             ///< the module's variables hold these until its next forward
    bool attributesOfSecond = false;  ///< by a graph: only what a checkpoint's second forward made
};

/// A run of ops inside a segment that is checkpointed by itself: it keeps its inputs, and runs
/// again in backward.
struct RecomputeBlock {
    std::size_t begin = 0;
    std::size_t end = 0;
    TensorIds inputs;         ///< storages read inside and made outside
    TensorIds outputs;        ///< storages made inside and read outside
    bool keepsGraph = false;  ///< a module's variable leads into it
};

/// A weight as the segment uses it: the local shard of tensor and expert parallelism.
struct WeightUse {
    std::string_view name;
    std::int64_t elements = 0;
    bool trained = true;
    bool cast = false;  ///< autocast: a cached copy in the compute type is what the op reads
    bool isMatrix = true;
    bool expert = false;       ///< reduced over the expert-data-parallel group
    bool tied = false;         ///< a second use of the embedding table: no states of its own
    bool ownGradient = false;  ///< made as a tensor of its own, not as a transposed view
    bool addedInGemm = false;  ///< the GEMM adds its gradient straight into the framework's buffer
    std::int64_t columns = 0;  ///< of a matrix: how many inputs each output has
    std::int64_t experts = 0;  ///< of a stack of experts: how many there are
    std::int64_t width = 0;    ///< bytes of a stored element; 0: as the engine stores them
    std::int64_t packedBytes = 0;  ///< of a quantised weight: codes, scales and tables
    std::int64_t codeBytes = 0;    ///< of those, the codes: what a sharded parameter is
    bool inLayer = false;          ///< inside a layer, not at the model's ends

    [[nodiscard]] std::int64_t widthOr(std::int64_t usual) const {
        return width > 0 ? width : usual;
    }
    [[nodiscard]] std::int64_t storedBytes(std::int64_t usual) const {
        return packedBytes > 0 ? packedBytes : elements * widthOr(usual);
    }
};

/// A call of one of the model's modules: a possibly empty run of ops, and the weights that are its
/// own. A call inside it comes after it.
struct ModuleSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
    WeightIds weights;  ///< indices into OpList::weights
};

/// This is a piece of the model (embedding, one layer, head, loss) as operations in the order the
/// framework runs them. It is walked forward and backward by planner/memory, and timed by others.
struct OpList {
    std::vector<TensorInfo> tensors;
    std::vector<Op> ops;
    std::vector<WeightUse> weights;
    TensorId input = kNoTensor;
    TensorId output = kNoTensor;
    TensorIds externals;  ///< shared tables, in the order the caller gives them; kNoTensor: unused
    std::vector<TensorIds> dropAfter;  ///< storages whose last reader is op i
    std::vector<RecomputeBlock> blocks;
    std::vector<ModuleSpan> modules;  ///< in the order of their calls
    std::int64_t scratchBytes = 0;  ///< most that an op asks of the framework's one scratch buffer

    [[nodiscard]] const TensorInfo& tensor(TensorId id) const {
        return tensors[static_cast<std::size_t>(id)];
    }
};

/// Bytes kept for backward by one pass, every storage once; `withInput` counts the segment's input
/// too.
std::int64_t savedBytes(const OpList& list, bool withInput);

}  // namespace fabricast
