#pragma once
#include "planner/result/step_estimate.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/names.h"

namespace fabricast {

/// The parts of a step: in JSON with _s behind them, and behind "time." for --why.
constexpr auto namesOf(TimePart) {
    return std::to_array<Named<TimePart>>({{TimePart::Gemm, "gemm"},
                                           {TimePart::Attention, "attention"},
                                           {TimePart::MemoryBound, "memory_bound"},
                                           {TimePart::Tensor, "tensor"},
                                           {TimePart::Context, "context"},
                                           {TimePart::Expert, "expert"},
                                           {TimePart::Shard, "shard"},
                                           {TimePart::Stage, "stage"},
                                           {TimePart::Bubble, "bubble"},
                                           {TimePart::Optimizer, "optimizer"},
                                           {TimePart::Host, "host"}});
}

/// The profile, or else the kind, of the links that a call goes over.
inline std::string_view fabricOf(const ClusterSpec& cluster, const CommLine& line) {
    if (line.sites > 1) {
        return "wan";
    }
    if (line.betweenNodes) {
        return cluster.fabric.name.empty() ? cluster.fabric.kind : cluster.fabric.name;
    }
    const NodeSpec& node = cluster.node;
    return node.gpuFabricName.empty() ? node.gpuFabric : node.gpuFabricName;
}

}  // namespace fabricast
