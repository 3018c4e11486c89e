#pragma once
#include "probes/cuda/gpu_bench.h"

namespace fabricast::probe {

/// Queries, keys, values and their gradients in bf16, heads before tokens:
///     attention pass=forward|backward dtype=bf16 batch=1 heads=32 kv_heads=8 sequence=4096 dim=128
///     causal=0|1
struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t groups = 1;  ///< heads of keys and values
    std::int64_t sequence = 1;
    std::int64_t dim = 8;
    bool causal = false;
    bool backward = false;

    /// Of the products that no mask removes: 2 forward, 5 backward.
    [[nodiscard]] double flop() const;
    /// Of the tensors that come in and go out.
    [[nodiscard]] double bytes() const;
    /// Queries of all heads; numbers of the queries, of the keys, of the scores.
    [[nodiscard]] std::int64_t rows() const { return batch * heads * sequence; }
    [[nodiscard]] std::int64_t queries() const { return batch * heads * sequence * dim; }
    [[nodiscard]] std::int64_t keys() const { return batch * groups * sequence * dim; }
    [[nodiscard]] std::int64_t scores() const { return batch * heads * sequence * sequence; }
};

Answer<AttentionShape> attentionShapeOf(const Point& point);

Done checkAttention(const Point& point);
Answer<Measurement> measureAttention(GpuBench& bench, const Point& point);

}  // namespace fabricast::probe
