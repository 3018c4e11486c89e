#include "planner/schedule/v_memory_limit.h"

#include <algorithm>
#include <utility>

namespace fabricast {

VMemory::VMemory(const VRank& rank)
    : weightsFill_(rank.weights.empty()),
      slots_(static_cast<std::size_t>(rank.lastSlot()) + 1, kFree),
      states_(slots_.size()) {
    for (const VEvent& event : eventsOf({rank})) {
        slots_[static_cast<std::size_t>(event.slot)] = static_cast<std::uint8_t>(event.pass);
    }
    walk(0, rank.lastSlot());
}

std::int64_t VMemory::most() const {
    return std::ranges::max_element(states_, {}, &State::kept)->kept;
}

VMemory::State VMemory::next(State state, std::uint8_t pass) const {
    if (pass == ForwardDown || pass == ForwardUp) {
        ++state.kept;
    } else if (pass == kVPasses) {
        --state.kept;
    } else if (pass != kFree) {
        ++state.waiting;
    } else if (weightsFill_ && state.waiting > 0) {
        --state.waiting;
        --state.kept;
    }
    return state;
}

std::int64_t VMemory::walk(std::int64_t from, std::int64_t last) {
    auto slot = static_cast<std::size_t>(from);
    State state = slot > 0 ? states_[slot - 1] : State{};
    std::int64_t most = 0;
    for (; slot < slots_.size(); ++slot) {
        state = next(state, slots_[slot]);
        if (static_cast<std::int64_t>(slot) > last && state == states_[slot]) {
            break;
        }
        states_[slot] = state;
        most = std::max(most, state.kept);
    }
    return most;
}

bool VMemory::tryMove(std::int64_t from, std::int64_t to, std::int64_t limit) {
    std::uint8_t& old = slots_[static_cast<std::size_t>(from)];
    std::uint8_t& now = slots_[static_cast<std::size_t>(to)];
    std::swap(old, now);
    if (walk(to, from) <= limit) {
        return true;
    }
    std::swap(old, now);
    walk(to, from);
    return false;
}

namespace {

/// One pass over a grid that moves what may move.
class Tightening {
public:
    explicit Tightening(VGrid& grid) : grid_(grid), hasWeights_(!grid.front().weights.empty()) {
        for (const VRank& rank : grid) {
            memory_.emplace_back(rank);
            limit_ = std::max(limit_, memory_.back().most());
        }
    }

    void run() {
        for (const VEvent& event : eventsOf(grid_)) {
            if (isMovable(event)) {
                moveEarlier(event);
            }
        }
    }

private:
    /// Fixed are the repetitions between the first rank's first last backward and its last forward;
    /// and the beginning, while it is open where weight gradients go.
    bool isMovable(const VEvent& event) {
        if (phase_ == Phase::Begin && event.pass == BackwardDown && event.rank == 0) {
            phase_ = Phase::Repeated;
        }
        if (phase_ == Phase::Repeated) {
            const std::size_t last = grid_[event.rank].passes[ForwardDown].size() - 1;
            const bool ends = event.pass == ForwardDown && event.microBatch == last;
            phase_ = ends ? Phase::End : phase_;
            return false;
        }
        return phase_ == Phase::End || hasWeights_;
    }

    void moveEarlier(const VEvent& event) {
        for (std::int64_t slot = earliest(event); slot < event.slot; ++slot) {
            if (memory_[event.rank].isFree(slot) &&
                memory_[event.rank].tryMove(event.slot, slot, limit_)) {
                slotsOf(event)[event.microBatch] = slot;
                return;
            }
        }
    }

    /// The first slot after everything that it waits for.
    std::int64_t earliest(const VEvent& event) {
        std::int64_t after = -1;
        const auto waitFor = [&](std::size_t rank, std::size_t pass) {
            if (rank < grid_.size()) {
                after = std::max(after, grid_[rank].passes[pass][event.microBatch]);
            }
        };
        if (event.pass == kVPasses) {
            after = backwardSlot(grid_[event.rank], event.microBatch);
        } else {
            const bool down = event.pass == ForwardDown || event.pass == BackwardUp;
            waitFor(down ? event.rank - 1 : event.rank + 1, event.pass);
            if (event.pass > ForwardDown) {
                waitFor(event.rank, event.pass - 1);
            }
        }
        if (event.microBatch > 0) {
            after = std::max(after, slotsOf(event)[event.microBatch - 1]);
        }
        return after + 1;
    }

    std::vector<std::int64_t>& slotsOf(const VEvent& event) {
        VRank& rank = grid_[event.rank];
        return event.pass < kVPasses ? rank.passes[event.pass] : rank.weights;
    }

    /// Of the rank's backwards, the one that comes as `turn`-th.
    static std::int64_t backwardSlot(const VRank& rank, std::size_t turn) {
        std::vector<std::int64_t> slots = rank.passes[BackwardUp];
        slots.insert(
            slots.end(), rank.passes[BackwardDown].begin(), rank.passes[BackwardDown].end());
        const auto at = slots.begin() + static_cast<std::ptrdiff_t>(turn);
        std::ranges::nth_element(slots, at);
        return *at;
    }

    enum class Phase : std::uint8_t { Begin, Repeated, End };

    VGrid& grid_;
    bool hasWeights_;
    std::vector<VMemory> memory_;
    std::int64_t limit_ = 0;
    Phase phase_ = Phase::Begin;
};

}  // namespace

void tighten(VGrid& grid) {
    Tightening(grid).run();
}

}  // namespace fabricast
