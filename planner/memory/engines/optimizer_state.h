#pragma once
#include "planner/memory/program/stage_program.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <vector>

namespace fabricast {

inline constexpr std::int64_t kFp32 = 4;  ///< bytes of an element
inline constexpr std::int64_t kFp64 = 8;  ///< gradient norms are summed in double precision

/// One tensor as an optimizer sees it: a parameter, a shard of one, or a flat group of many.
struct StepTensor {
    std::int64_t elements = 0;
    std::int64_t width = 4;      ///< bytes of one element; torch keeps moments in the same type
    std::int64_t columns = 0;    ///< of a whole matrix; 0: a vector, or a flat piece
    std::int64_t innermost = 0;  ///< the last dimension, of a shard too; 0: it has one dimension
    std::int64_t stack = 0;      ///< of a whole stack of matrices: how many
    std::int64_t stackColumns = 0;
    bool hiddenMatrix = false;   ///< a matrix inside a layer, which Muon takes; whole or a shard
    std::int64_t wholeRows = 0;  ///< of the matrix that this is a shard of; 0: not a shard
    bool isTable = false;        ///< whole, of an nn.Embedding
};

/// The trained parameters of `units`, whole, each with `width` bytes an element.
std::vector<StepTensor> parameterTensors(const std::vector<Unit>& units, std::int64_t width);

struct StateBytes {
    std::int64_t device = 0;
    std::int64_t host = 0;  ///< paged to the host
};

/// What the optimizer keeps between steps for one tensor.
///     optimizerState(settings.optimizer, {.elements = n}).device;  // 8n + 4 for fused AdamW
StateBytes optimizerState(const OptimizerSettings& optimizer, const StepTensor& tensor);

/// Bytes that a step over these tensors takes for its length, beyond state and gradients. They are
/// stepped in the order given.
///     stepTemporaries({.kernel = OptimizerKernel::Foreach}, tensors);  // one copy of all of them
std::int64_t stepTemporaries(const OptimizerSettings& optimizer,
                             const std::vector<StepTensor>& tensors);

/// What it keeps once for all tensors: bitsandbytes' code tables.
std::int64_t sharedStateBytes(const OptimizerSettings& optimizer);

}  // namespace fabricast
