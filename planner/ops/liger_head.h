#pragma once
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

}  // namespace fabricast
