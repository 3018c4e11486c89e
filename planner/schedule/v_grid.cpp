#include "planner/schedule/v_grid.h"

#include <algorithm>
#include <utility>

namespace fabricast {

std::int64_t VRank::lastSlot() const {
    std::int64_t last = weights.empty() ? 0 : weights.back();
    for (const std::vector<std::int64_t>& slots : passes) {
        last = std::max(last, slots.back());
    }
    return last;
}

VGrid repeatBlock(VBlock block, const PipelineShape& shape) {
    VGrid grid(static_cast<std::size_t>(shape.ranks));
    for (std::size_t rank = 0; rank < grid.size(); ++rank) {
        const auto first = block(shape.ranks, static_cast<std::int64_t>(rank));
        for (std::size_t pass = 0; pass < kVPasses; ++pass) {
            for (std::int64_t turn = 0; turn < shape.microBatches; ++turn) {
                grid[rank].passes[pass].push_back(first[pass] + kVInterval * turn);
            }
        }
    }
    return grid;
}

std::vector<VEvent> eventsOf(const VGrid& grid) {
    std::vector<VEvent> events;
    for (std::size_t rank = 0; rank < grid.size(); ++rank) {
        for (std::size_t pass = 0; pass <= kVPasses; ++pass) {
            const std::vector<std::int64_t>& slots =
                pass < kVPasses ? grid[rank].passes[pass] : grid[rank].weights;
            for (std::size_t turn = 0; turn < slots.size(); ++turn) {
                events.push_back({slots[turn], rank, pass, turn});
            }
        }
    }
    std::ranges::sort(events);
    return events;
}

void fillWeights(VRank& rank) {
    rank.weights.clear();
    std::int64_t next = 0;  // the first slot that may be free
    std::size_t waiting = 0;
    for (const VEvent& event : eventsOf({{.passes = rank.passes, .weights = {}}})) {
        for (; next < event.slot && waiting > 0; ++next, --waiting) {
            rank.weights.push_back(next);
        }
        next = event.slot + 1;
        waiting += event.pass >= BackwardUp ? 1 : 0;
    }
    for (; waiting > 0; ++next, --waiting) {
        rank.weights.push_back(next);
    }
}

void squeeze(VGrid& grid) {
    std::vector<std::int64_t> free(grid.size());
    const std::vector<VEvent> events = eventsOf(grid);
    VGrid& moved = grid;  // what comes earlier in the order has moved already
    for (const VEvent& event : events) {
        std::int64_t slot = free[event.rank];
        if (event.pass < kVPasses) {
            const bool down = event.pass == ForwardDown || event.pass == BackwardUp;
            const std::size_t from = event.rank + (down ? std::size_t(-1) : std::size_t(1));
            if (from < grid.size()) {
                slot = std::max(slot, moved[from].passes[event.pass][event.microBatch] + 1);
            }
            moved[event.rank].passes[event.pass][event.microBatch] = slot;
        } else {
            moved[event.rank].weights[event.microBatch] = slot;
        }
        free[event.rank] = slot + 1;
    }
}

namespace {

/// Writes one rank's actions, and its weight gradients where there is room.
class VWriter {
public:
    VWriter(std::int64_t ranks, std::int64_t rank) : down_(rank), up_(2 * ranks - 1 - rank) {}

    void run(const VEvent& event) {
        for (; next_ < event.slot && (waiting_[0] > 0 || waiting_[1] > 0); ++next_) {
            runWeight(waiting_[0] > 0 ? 0 : 1);
        }
        next_ = event.slot + 1;
        const bool forward = event.pass == ForwardDown || event.pass == ForwardUp;
        const bool up = event.pass == ForwardUp || event.pass == BackwardUp;
        add(up ? up_ : down_,
            static_cast<std::int64_t>(event.microBatch),
            forward ? Pass::Forward : Pass::InputGradient);
        if (!forward) {
            ++waiting_[up ? 0 : 1];
        }
    }
    StageActions finish() && {
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            while (waiting_[side] > 0) {
                runWeight(side);
            }
        }
        return std::move(actions_);
    }

private:
    void runWeight(std::size_t side) {
        --waiting_[side];
        add(side == 0 ? up_ : down_, done_[side]++, Pass::WeightGradient);
    }
    void add(std::int64_t stage, std::int64_t microBatch, Pass pass) {
        actions_.push_back(
            {static_cast<std::int32_t>(stage), static_cast<std::int32_t>(microBatch), pass});
    }

    std::int64_t down_;
    std::int64_t up_;
    std::int64_t next_ = 0;
    std::array<std::int64_t, 2> waiting_{};  ///< weight gradients of the way up, and down
    std::array<std::int64_t, 2> done_{};
    StageActions actions_;
};

}  // namespace

std::vector<StageActions> actionsOf(const VGrid& grid) {
    std::vector<VWriter> writers;
    for (std::size_t rank = 0; rank < grid.size(); ++rank) {
        writers.emplace_back(static_cast<std::int64_t>(grid.size()),
                             static_cast<std::int64_t>(rank));
    }
    for (const VEvent& event : eventsOf(grid)) {
        if (event.pass < kVPasses) {
            writers[event.rank].run(event);
        }
    }
    std::vector<StageActions> actions;
    actions.reserve(writers.size());
    for (VWriter& writer : writers) {
        actions.push_back(std::move(writer).finish());
    }
    return actions;
}

}  // namespace fabricast
