#pragma once
#include "planner/ops/attention_kernels.h"
#include "planner/ops/hf_positions.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <cstdint>

namespace fabricast {

/// How Liger cuts a microbatch's tokens: the logits of one chunk are about as large as the hidden
/// states of all of them.
///     const LigerChunks chunks = ligerChunks(tokens, model.vocab, model.hidden);
struct LigerChunks {
    std::int64_t rows = 0;   ///< of each but the last
    std::int64_t count = 0;  ///< with the last
    std::int64_t last = 0;   ///< rows of the last
};
LigerChunks ligerChunks(std::int64_t tokens, std::int64_t vocab, std::int64_t hidden);

/// What the function is given: it casts where autocast runs and the types differ.
struct LigerTypes {
    std::int64_t input = 2;    ///< bytes of an element of the hidden states
    std::int64_t weight = 2;   ///< of the head's weight, as it is read; its gradient's too
    std::int64_t logits = 2;   ///< of the logits
    bool trained = true;       ///< the head's weight is
    bool castsWeight = false;  ///< for every product, but those that find autocast's own copy
    bool castsInput = false;
    bool addsApart = false;  ///< a chunk's gradient of the weight is a tensor before it is added
};
LigerTypes ligerTypes(const Scenario& scenario);

/// This is transformers' head and loss as Liger's fused linear cross entropy computes them, hidden
/// states in and loss out. Its forward makes the gradients of the hidden states and of the weight,
/// and keeps nothing else; backward hands them on.
OpList ligerHead(const Scenario& scenario);

// Liger's kernels in place of the layers of transformers' models, each a function in Python around
// Triton kernels (liger_kernel 0.8.5, ops/rms_norm.py, rope.py, swiglu.py, geglu.py). What they
// save is contiguous: what is not is copied.

/// How a norm's input lies in memory.
enum class NormedRows { InOrder, HeadsFirst };

/// It keeps its input and one number of each row.
TensorId ligerNorm(OpBuilder& g,
                   const Scenario& scenario,
                   TensorId x,
                   std::int64_t rows,
                   int weight,
                   NormedRows lies = NormedRows::InOrder);

/// Also the norms of queries and keys.
bool normsHeadsByLiger(const Scenario& scenario);
bool rotatesByLiger(const Scenario& scenario);
/// Turns both over themselves, and their gradients over the gradients.
Projected rotateByLiger(OpBuilder& g,
                        const Scenario& scenario,
                        const Rotary& table,
                        const Projected& projections);

/// SwiGLU, GeGLU: keeps both factors, and backward writes their gradients over them.
TensorId ligerGated(OpBuilder& g, TensorId gate, TensorId up);

}  // namespace fabricast
