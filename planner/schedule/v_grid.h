#pragma once
#include "planner/schedule/action_order.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

// Schedules of the V shape with controlled memory (Qi et al., 2024): one microbatch's passes are a
// block of slots on every rank, the block is repeated every six slots, and what is left free is
// filled with weight gradients.

/// The passes of a block, in a microbatch's order: down the ranks and up, and back.
enum VPass : std::uint8_t { ForwardDown, ForwardUp, BackwardUp, BackwardDown };
inline constexpr std::size_t kVPasses = 4;
/// Forwards, backwards and weight gradients of a rank's two stages.
inline constexpr std::int64_t kVInterval = 6;

/// The slots of one rank.
struct VRank {
    std::array<std::vector<std::int64_t>, kVPasses> passes;  ///< by microbatch, each increasing
    std::vector<std::int64_t> weights;  ///< of the backwards, in their order; may be empty

    [[nodiscard]] std::int64_t lastSlot() const;
};
using VGrid = std::vector<VRank>;

/// The slot of each pass of the first microbatch.
using VBlock = std::array<std::int64_t, kVPasses> (*)(std::int64_t ranks, std::int64_t rank);
VGrid repeatBlock(VBlock block, const PipelineShape& shape);

/// A pass at its slot. Grids are traversed in the order of slots.
struct VEvent {
    std::int64_t slot = 0;
    std::size_t rank = 0;
    std::size_t pass = 0;  ///< kVPasses: a weight gradient
    std::size_t microBatch = 0;
    // clang-tidy 14 sees a null pointer in <=>.
    friend auto operator<=>(const VEvent&, const VEvent&) = default;  // NOLINT
};
std::vector<VEvent> eventsOf(const VGrid& grid);

/// Weight gradients in the free slots, each as soon as there is one after its backward.
void fillWeights(VRank& rank);

/// Every pass as early as the order of each rank allows, if all take one slot.
void squeeze(VGrid& grid);

/// What each rank runs: the passes by their slots, and weight gradients where nothing else runs,
/// those of the way up first.
std::vector<StageActions> actionsOf(const VGrid& grid);

}  // namespace fabricast
