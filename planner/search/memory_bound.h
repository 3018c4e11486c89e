#pragma once
#include "planner/search/block_costs.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {

/// Bytes that the first pipeline rank needs at the very least: parameters, gradients and optimizer
/// states of its layers, and what they keep for the microbatches in flight. Never more than what
/// the walk of a step finds, so that a layout above the capacity cannot fit.
class MemoryBound {
public:
    MemoryBound(const SearchTask& task, const SearchSpace& space);

    /// From counts alone: each layer keeps its input.
    std::int64_t bytes(const Candidate& candidate);
    /// With what each layer is known to keep.
    std::int64_t bytes(const Candidate& candidate, const BlockCost& cost);

private:
    /// Bytes per parameter, by whether a shard group splits them.
    struct States {
        double whole = 0.0;
        double split = 0.0;
        double wholeBetween = 0.0;  ///< without gradients
        double splitBetween = 0.0;
    };
    /// What the first rank runs.
    struct FirstRank {
        std::int64_t dense = 0;
        std::int64_t sparse = 0;
        std::int64_t leastDense = 0;  ///< of a chunk
        std::int64_t leastSparse = 0;
    };
    using OrderKey = std::
        tuple<std::uint32_t, ScheduleKind, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    const States& states(const Candidate& candidate);
    const FirstRank& firstRank(const Candidate& candidate);
    std::int64_t inFlight(const Candidate& candidate);
    [[nodiscard]] std::int64_t runtimeBytes(const Candidate& candidate);
    std::int64_t sum(const Candidate& candidate, std::int64_t dense, std::int64_t sparse);

    const SearchTask& task_;
    const SearchSpace& space_;
    Scenario scratch_;
    double denseOfDense_ = 0.0;  ///< parameters of a layer without experts
    double denseOfSparse_ = 0.0;
    double experts_ = 0.0;  ///< routed, of a layer with them
    std::vector<std::optional<States>> states_;
    std::vector<std::optional<FirstRank>> firstRanks_;  ///< straight and folded, in turn
    std::map<OrderKey, std::int64_t> inFlight_;
};

}  // namespace fabricast
