#include "planner/compute/written_out_attention.h"

#include "planner/compute/gemm_time.h"
#include "planner/compute/memory_time.h"

namespace fabricast {

Seconds writtenOutAttentionTime(const KernelProfile& profile,
                                const Attention& attention,
                                const RateState& state) {
    const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        return gemmTime(profile,
                        {.m = m,
                         .n = n,
                         .k = k,
                         .type = attention.type,
                         .batch = attention.batch * attention.heads},
                        state);
    };
    const std::int64_t queries = attention.queries;
    const std::int64_t keys = attention.keys;
    const double scores = static_cast<double>(attention.batch * attention.heads) *
                          static_cast<double>(queries) * static_cast<double>(keys);
    if (attention.pass == AttentionPass::Forward) {
        return product(queries, keys, attention.headDim) +
               product(queries, attention.valueDim, keys) +
               memoryTime(profile, MemoryOp::Softmax, scores * attention.scores.forward, state);
    }
    // Each product has two gradients: of the scores and values, of the queries and keys.
    return product(queries, keys, attention.valueDim) + product(keys, attention.valueDim, queries) +
           product(queries, attention.headDim, keys) + product(keys, attention.headDim, queries) +
           memoryTime(profile, MemoryOp::Softmax, scores * attention.scores.backward, state);
}

}  // namespace fabricast
