#pragma once
#include "planner/result/backtest_result.h"
#include "planner/result/plan_report.h"
#include "planner/result/size_answer.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/names.h"

namespace fabricast {

/// As they are typed behind --group-by, and in answers.
constexpr auto namesOf(GroupBy) {
    return std::to_array<Named<GroupBy>>(
        {{GroupBy::Source, "source"}, {GroupBy::Gpu, "gpu"}, {GroupBy::Stack, "stack"}});
}

/// As they are typed behind --objective, and in JSON.
constexpr auto namesOf(PlanObjective) {
    return std::to_array<Named<PlanObjective>>({{PlanObjective::Throughput, "tokens"},
                                                {PlanObjective::Memory, "memory"},
                                                {PlanObjective::Cost, "cost"},
                                                {PlanObjective::Energy, "energy"},
                                                {PlanObjective::Gpus, "gpus"}});
}

/// As they are typed behind --minimize, and in JSON.
constexpr auto namesOf(SizeAim) {
    return std::to_array<Named<SizeAim>>({{SizeAim::Cost, "cost"},
                                          {SizeAim::Time, "time"},
                                          {SizeAim::Power, "power"},
                                          {SizeAim::Gpus, "gpus"}});
}

/// As they are named in JSON, with their unit.
constexpr auto namesOf(SizeMetric) {
    return std::to_array<Named<SizeMetric>>({{SizeMetric::TokensPerSecond, "tokens_per_s"},
                                             {SizeMetric::Days, "days"},
                                             {SizeMetric::Budget, "usd"}});
}

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
