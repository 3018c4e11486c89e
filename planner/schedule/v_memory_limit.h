#pragma once
#include "planner/schedule/v_grid.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// How many stage-microbatches a rank keeps over the slots of a grid. Weight gradients that are not
/// in the grid are taken to run in free slots.
class VMemory {
public:
    explicit VMemory(const VRank& rank);

    [[nodiscard]] std::int64_t most() const;
    [[nodiscard]] bool isFree(std::int64_t slot) const {
        return slots_[static_cast<std::size_t>(slot)] == kFree;
    }
    /// Moves a pass to an earlier slot, if no more than `limit` are kept then.
    bool tryMove(std::int64_t from, std::int64_t to, std::int64_t limit);

private:
    static constexpr std::uint8_t kFree = 255;
    struct State {
        std::int64_t kept = 0;
        std::int64_t waiting = 0;  ///< weight gradients that are not in the grid
        friend bool operator==(const State&, const State&) = default;
    };

    [[nodiscard]] State next(State state, std::uint8_t pass) const;
    /// Walks from a slot on until nothing differs after `last`; the most that is kept on the way.
    std::int64_t walk(std::int64_t from, std::int64_t last);

    bool weightsFill_;
    std::vector<std::uint8_t> slots_;  ///< the pass in each slot
    std::vector<State> states_;        ///< after each slot
};

/// Moves the passes before the first and after the last full repetition of the block to the
/// earliest free slots after what they wait for, as long as no rank keeps more than the most loaded
/// one does now.
void tighten(VGrid& grid);

}  // namespace fabricast
