#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// `attention pass=forward|backward dtype=fp32 batch= heads= kv_heads= sequence= dim=64 causal=1`,
/// written out as products, as the decoder's step runs it. Every member computes at once.
std::string attentionFault(const Point& point);
Measurement measureAttention(Wire& wire, const RankGroup& group, const Point& point);

}  // namespace fabricast::probe
