#pragma once
#include "planner/evidence/nccl_model.h"

#include <cstdint>

namespace fabricast {

/// The inputs of NCCL's tuner for the latency of the first byte.
struct NcclCall {
    CollectiveKind kind = CollectiveKind::AllReduce;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    CollectiveProtocol protocol = CollectiveProtocol::Simple;
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t perNode = 1;
    LinkClass intra = LinkClass::NvLink;
    Seconds networkLatency;   ///< of the network, on top of the model's step
    Seconds networkOverhead;  ///< of posting one message
};

/// Latency by NCCL's own model, for each collective of its tuner.
///     ring     base + (steps - hops) · intra + hops · inter
///     tree     base + 2 · ((perNode - 1) · intra + log2(nodes) · inter)
///     nvls     intra, and inter over nodes;  nvls_tree  base + intra + 2 · log2(nodes) · inter
///     pat      base + log2(nodes) · inter / 3.5 + 2.8 us · ranks
Seconds ncclLatency(const NcclCall& call, const NcclModel& model);

/// Steps of a ring: 2(n - 1) to reduce and gather, n - 1 for one of them, n for a pipeline.
std::int64_t ringSteps(CollectiveKind kind, std::int64_t ranks);

}  // namespace fabricast
