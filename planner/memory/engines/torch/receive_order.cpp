#include "planner/memory/engines/torch/receives.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fabricast {

namespace {

/// A turn of a rank; empty: it waits.
using Turn = std::optional<PipelineAction>;

/// The turns of one rank: it waits for the first microbatch to arrive, after its warm-up for the
/// first gradient, and before each backward of the cool-down.
std::vector<Turn> turnsOf(const Layout& layout, const PipelineOrder& order, std::int64_t rank) {
    const auto& actions = order.actions;
    const auto isBackward = [](const PipelineAction& action) { return !action.forward; };
    const auto leading = std::find_if(actions.begin(), actions.end(), isBackward) - actions.begin();
    const auto total = static_cast<std::ptrdiff_t>(actions.size()) / 2;
    // The forward before the first backward is paired with it, unless all come before.
    const std::ptrdiff_t warmUp = leading == total ? total : leading - 1;
    const std::int64_t untilGradient =
        layout.vpp * layout.pp + 2 * (layout.pp - 1 - rank) - (warmUp + rank);
    std::vector<Turn> turns(static_cast<std::size_t>(rank));
    std::ptrdiff_t forwards = 0;
    for (const PipelineAction& action : actions) {
        if (!action.forward && forwards == total && turns.back() && !turns.back()->forward) {
            turns.emplace_back();
        }
        turns.emplace_back(action);
        forwards += action.forward ? 1 : 0;
        if (action.forward && forwards == warmUp) {
            turns.resize(turns.size() +
                         static_cast<std::size_t>(std::max<std::int64_t>(0, untilGradient)));
        }
    }
    return turns;
}

/// All ranks take their turns one after another; what is computed is sent to the rank that needs
/// it, which has asked for it by then.
class Turns {
public:
    Turns(const Layout& layout, const std::vector<PipelineOrder>& orders, std::int64_t rank)
        : layout_(layout), rank_(rank), next_(orders.size()), passed_(orders.size()) {
        for (std::size_t i = 0; i < orders.size(); ++i) {
            turns_.push_back(turnsOf(layout, orders[i], static_cast<std::int64_t>(i)));
        }
        const std::vector<PipelineAction>& mine = orders[static_cast<std::size_t>(rank)].actions;
        receives_.resize(mine.size() + 1);
        for (const PipelineAction& action : mine) {
            microBatches_ = std::max(microBatches_, action.microBatch + 1);
        }
        asked_.resize(static_cast<std::size_t>(2 * stages() * microBatches_));
    }

    ReceiveOrder run() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t rank = 0; rank < turns_.size(); ++rank) {
                progress = takeTurn(rank) || progress;
            }
        }
        return std::move(receives_);
    }

private:
    [[nodiscard]] std::int64_t stages() const { return layout_.pp * layout_.vpp; }
    [[nodiscard]] std::size_t indexOf(const PipelineAction& action, std::int64_t stage) const {
        const std::int64_t half = action.forward ? 0 : stages();
        return static_cast<std::size_t>((half + stage) * microBatches_ + action.microBatch);
    }

    bool takeTurn(std::size_t rank) {
        if (next_[rank] == turns_[rank].size()) {
            return false;
        }
        const Turn turn = turns_[rank][next_[rank]];
        if (turn) {
            const std::int64_t stage = turn->chunk * layout_.pp + static_cast<std::int64_t>(rank);
            const bool first = turn->forward ? stage == 0 : stage == stages() - 1;
            if (!first && !asked_[indexOf(*turn, stage)]) {
                return false;
            }
            ++passed_[rank];
            send(*turn, stage);
        }
        ++next_[rank];
        return true;
    }

    void send(const PipelineAction& action, std::int64_t stage) {
        const std::int64_t to = stage + (action.forward ? 1 : -1);
        if (to < 0 || to == stages()) {
            return;
        }
        asked_[indexOf(action, to)] = true;
        if (to % layout_.pp == rank_) {
            receives_[passed_[static_cast<std::size_t>(rank_)]].push_back(
                {action.forward, static_cast<int>(to / layout_.pp), action.microBatch});
        }
    }

    const Layout& layout_;
    std::int64_t rank_;
    std::vector<std::vector<Turn>> turns_;
    std::vector<std::size_t> next_;
    std::vector<std::size_t> passed_;  ///< actions done, by rank
    std::vector<bool> asked_;          ///< inputs, by direction, stage and microbatch
    std::int64_t microBatches_ = 1;
    ReceiveOrder receives_;
};

}  // namespace

ReceiveOrder receiveOrder(const Layout& layout,
                          const std::vector<PipelineOrder>& orders,
                          std::int64_t rank) {
    return Turns(layout, orders, rank).run();
}

}  // namespace fabricast
