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

/// One layout, small enough that there may be millions: its settings are shared.
struct Candidate {
    Layout layout;
    std::uint32_t stack = 0;      ///< of the task
    std::uint32_t settings = 0;   ///< of the space
    std::uint32_t recompute = 0;  ///< which of the stack's ways
};

/// Why a stack has no layout at all.
struct RefusedStack {
    std::uint32_t stack = 0;
    std::string why;
};

/// Every layout that the stacks take and the rules leave, in a fixed order. Of layouts that run the
/// same only one is there: sp without tp, hybrid sharding over all ranks, and so on.
struct SearchSpace {
    std::vector<Candidate> candidates;
    std::vector<Settings> settings;
    std::vector<RefusedStack> refused;

    /// The whole question for one of them.
    [[nodiscard]] Scenario scenarioOf(const SearchTask& task, const Candidate& candidate) const;
};
Result<SearchSpace> enumerateLayouts(const SearchTask& task);

}  // namespace fabricast
