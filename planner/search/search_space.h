#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/search/layout_rules.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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

/// Layouts that divide the ranks alike: they differ in the pipeline's order, the micro-batch, what
/// is recomputed, and which ranks are neighbours.
struct LayoutFamily {
    Layout layout;
    bool swaps = false;       ///< pp may lie inside dp too
    std::uint32_t stack = 0;  ///< of the task
    std::uint32_t ways = 0;   ///< of the space's lists
    std::uint32_t sizes = 0;  ///< likewise
    /// Of the space's reasons: why its memory is not modelled. Else none.
    std::optional<std::uint32_t> unmodelled{};
};

/// A size of the micro-batch, and the orders that the stack has for so many microbatches.
struct MicroBatchSize {
    std::int64_t samples = 1;
    std::vector<std::uint16_t> ways;  ///< of the family's, ascending
};

/// One layout: places in the lists of its family. They are ordered as they stand in the space.
struct Candidate {
    std::uint32_t family = 0;
    std::uint16_t way = 0;
    std::uint16_t size = 0;
    std::uint16_t recompute = 0;  ///< of its stack's list
    bool swapped = false;         ///< pp lies inside dp, where its family swaps them

    friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// Why a stack has no layout at all.
struct RefusedStack {
    std::uint32_t stack = 0;
    std::string why;
    bool isMethod = false;  ///< it has no such way to train, whatever the layout
};

/// Every layout that the stacks' axes, the pipelines' orders and the rules leave, in a fixed order.
/// Of layouts that run the same only one is there: sp without tp, hybrid sharding over all ranks,
/// and so on. What else a stack refuses is found where a layout is looked at.
struct SearchSpace {
    std::vector<LayoutFamily> families;
    std::vector<std::vector<PipelineWay>> ways;
    std::vector<std::vector<MicroBatchSize>> sizes;
    std::vector<std::vector<RecomputeSettings>> recomputes;  ///< by stack
    std::vector<std::string> reasons;                        ///< why families are not modelled
    std::vector<RefusedStack> refused;

    [[nodiscard]] const std::vector<MicroBatchSize>& sizesOf(std::uint32_t family) const {
        return sizes[families[family].sizes];
    }
    [[nodiscard]] const std::vector<RecomputeSettings>& recomputesOf(std::uint32_t family) const {
        return recomputes[families[family].stack];
    }
    [[nodiscard]] Layout layoutOf(const Candidate& candidate) const;
    [[nodiscard]] std::int64_t samplesOf(const Candidate& candidate) const {
        return sizesOf(candidate.family)[candidate.size].samples;
    }
    /// Layouts of a family, or those with its first sizes of the micro-batch.
    [[nodiscard]] std::int64_t count(
        std::uint32_t family, std::size_t sizes = std::numeric_limits<std::size_t>::max()) const;
    /// All layouts of a family, ascending.
    [[nodiscard]] std::vector<Candidate> candidatesOf(std::uint32_t family) const;
};
Result<SearchSpace> enumerateLayouts(const SearchTask& task, const Watch& watch = {});

}  // namespace fabricast
