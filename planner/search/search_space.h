#pragma once
#include "planner/base/result.h"
#include "planner/search/layout_rules.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack_settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// What is searched: a model, a cluster and a workload under several stacks.
struct SearchTask {
    Scenario base;  ///< its stack, layout and settings are open
    std::vector<StackSettings> stacks;
    LayoutRules rules;
};

/// How the stages of a pipeline take their turns.
struct PipelineWay {
    ScheduleKind schedule = ScheduleKind::None;
    std::int64_t vpp = 1;
    std::int64_t group = 0;
};

/// Layouts that divide the ranks alike: they differ in the pipeline's order, the micro-batch and
/// what is recomputed.
struct LayoutFamily {
    Layout layout;
    std::uint32_t stack = 0;         ///< of the task
    std::uint32_t ways = 0;          ///< of the space's lists
    std::uint32_t microBatches = 0;  ///< likewise
};

/// One layout, small enough that there may be millions: places in the lists of its family.
struct Candidate {
    std::uint32_t family = 0;
    std::uint16_t way = 0;
    std::uint16_t microBatch = 0;
    std::uint32_t recompute = 0;  ///< of its stack's list
};

/// Why a stack has no layout at all.
struct RefusedStack {
    std::uint32_t stack = 0;
    std::string why;
};

/// Every layout that the stacks' axes, the pipelines' orders and the rules leave, in a fixed order.
/// Of layouts that run the same only one is there: sp without tp, hybrid sharding over all ranks,
/// and so on. What else a stack refuses is found where a layout is looked at.
struct SearchSpace {
    std::vector<LayoutFamily> families;
    std::vector<std::vector<PipelineWay>> ways;
    std::vector<std::vector<std::int64_t>> microBatches;
    std::vector<std::vector<RecomputeSettings>> recomputes;  ///< by stack
    std::vector<Candidate> candidates;
    std::vector<RefusedStack> refused;

    [[nodiscard]] const LayoutFamily& familyOf(const Candidate& candidate) const {
        return families[candidate.family];
    }
    [[nodiscard]] Layout layoutOf(const Candidate& candidate) const;
};
Result<SearchSpace> enumerateLayouts(const SearchTask& task);

}  // namespace fabricast
