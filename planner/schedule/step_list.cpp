#include "planner/schedule/step_list.h"

#include "planner/schedule/order_kind.h"

#include <algorithm>
#include <optional>

namespace fabricast {

namespace {

/// Runs the ranks of an order as far as their inputs allow, each in its turn.
class StepSorter {
public:
    StepSorter(const ActionOrder& order, PairMode mode)
        : order_(order),
          atomic_(mode == PairMode::Atomic),
          stages_(static_cast<std::size_t>(order.stages())),
          microBatches_(static_cast<std::size_t>(order.shape.microBatches)),
          forward_(stages_ * microBatches_),
          backward_(stages_ * microBatches_),
          next_(order.ranks.size()) {
        list_.ranks = static_cast<std::int64_t>(order.ranks.size());
        list_.stages = order.stages();
        list_.lastOfRank.resize(order.ranks.size());
        list_.lastGradientOfStage.resize(stages_);
        list_.firstForwardOfStage.resize(stages_);
        counts_.resize(order.ranks.size() * stages_ * kPasses);
        std::size_t actions = 0;
        for (const StageActions& ofRank : order.ranks) {
            actions += ofRank.size();
        }
        list_.steps.reserve(actions);
        for (const std::int64_t microBatch : {std::int64_t{0}, order.shape.microBatches - 1}) {
            for (std::int64_t stage = 0; stage < order.stages(); ++stage) {
                ranks_.push_back(static_cast<std::uint16_t>(order.rankOf(stage, microBatch)));
            }
        }
    }

    Result<StepList> sort() {
        std::vector<std::size_t> ready(order_.ranks.size());
        for (std::size_t rank = 0; rank < ready.size(); ++rank) {
            ready[ready.size() - 1 - rank] = rank;
        }
        while (!ready.empty()) {
            const std::size_t rank = ready.back();
            ready.pop_back();
            while (tryStep(rank, ready)) {
            }
        }
        for (std::size_t rank = 0; rank < next_.size(); ++rank) {
            if (next_[rank] < order_.ranks[rank].size()) {
                return fail(Error::Code::BadInput,
                            "schedule",
                            "rank " + std::to_string(rank) + " waits forever for an input of " +
                                actionText(order_.ranks[rank][next_[rank]]),
                            "another number of microbatches, or group");
            }
        }
        finish();
        return std::move(list_);
    }

private:
    struct Input {
        std::uint32_t step = 0;
        bool remote = false;
    };

    [[nodiscard]] std::size_t cell(std::int32_t stage, std::int32_t microBatch) const {
        return static_cast<std::size_t>(stage) * microBatches_ +
               static_cast<std::size_t>(microBatch);
    }
    /// All microbatches of the first half go the same way, and all others.
    [[nodiscard]] std::uint16_t rankOf(std::int32_t stage, std::int32_t microBatch) const {
        const bool isFirst = static_cast<std::size_t>(microBatch) < microBatches_ / 2;
        return ranks_[static_cast<std::size_t>(stage) + (isFirst ? 0 : stages_)];
    }

    /// What an action waits for; nothing while that has not run.
    [[nodiscard]] std::optional<Input> inputOf(const StageAction& action) const {
        const auto last = static_cast<std::int32_t>(stages_) - 1;
        const bool forward = action.pass == Pass::Forward;
        if (forward && action.stage == 0) {
            return Input{};
        }
        if (action.pass == Pass::WeightGradient) {
            return produced(backward_, action, action.stage);
        }
        if (!forward && action.stage == last) {
            return produced(forward_, action, last);
        }
        return forward ? produced(forward_, action, action.stage - 1)
                       : produced(backward_, action, action.stage + 1);
    }
    [[nodiscard]] std::optional<Input> produced(const std::vector<std::uint32_t>& table,
                                                const StageAction& action,
                                                std::int32_t from) const {
        const std::uint32_t step = table[cell(from, action.microBatch)];
        if (step == 0) {
            return std::nullopt;
        }
        return Input{step,
                     rankOf(from, action.microBatch) != rankOf(action.stage, action.microBatch)};
    }

    /// Whether the rank's next step could run; ranks that may continue because of it join `ready`.
    bool tryStep(std::size_t rank, std::vector<std::size_t>& ready) {
        const StageActions& actions = order_.ranks[rank];
        const std::size_t at = next_[rank];
        if (at >= actions.size()) {
            return false;
        }
        const std::size_t halves = atomic_ && actions[at].paired ? 2 : 1;
        // In its place: one that is written field by field and then copied waits for its own
        // stores.
        OrderStep& step = list_.steps.emplace_back();
        step.rank = static_cast<std::uint16_t>(rank);
        step.to.fill(step.rank);
        step.times.fill(static_cast<std::uint32_t>(stages_ * kPasses));
        for (std::size_t half = 0; half < halves; ++half) {
            const std::optional<Input> input = inputOf(actions[at + half]);
            if (!input) {
                list_.steps.pop_back();
                return false;
            }
            step.after[half] = input->step;
            step.remote[half] = input->remote;
            step.times[half] = static_cast<std::uint32_t>(timeIndex(
                static_cast<std::size_t>(actions[at + half].stage), actions[at + half].pass));
            addReceiver(actions[at + half], step);
        }
        list_.pairs = list_.pairs || halves == 2;
        for (std::size_t half = 0; half < halves; ++half) {
            record(rank, actions[at + half], ready);
        }
        next_[rank] += halves;
        return true;
    }

    void addReceiver(const StageAction& action, OrderStep& step) const {
        const bool forward = action.pass == Pass::Forward;
        const std::int32_t to = action.stage + (forward ? 1 : -1);
        const bool gives = action.pass != Pass::WeightGradient && to >= 0 &&
                           static_cast<std::size_t>(to) < stages_;
        if (gives) {
            step.to[forward ? 0 : 1] = rankOf(to, action.microBatch);
        }
    }

    void record(std::size_t rank, const StageAction& action, std::vector<std::size_t>& ready) {
        const auto number = static_cast<std::uint32_t>(list_.steps.size());
        const auto stage = static_cast<std::size_t>(action.stage);
        const bool forward = action.pass == Pass::Forward;
        list_.lastOfRank[rank] = number;
        ++counts_[rank * stages_ * kPasses + timeIndex(stage, action.pass)];
        if (forward && list_.firstForwardOfStage[stage] == 0) {
            list_.firstForwardOfStage[stage] = number;
        }
        if (action.pass == Pass::Backward || action.pass == Pass::WeightGradient) {
            list_.lastGradientOfStage[stage] = number;
        }
        if (action.pass == Pass::WeightGradient) {
            return;
        }
        (forward ? forward_ : backward_)[cell(action.stage, action.microBatch)] = number;
        const std::int32_t to = action.stage + (forward ? 1 : -1);
        if (to >= 0 && static_cast<std::size_t>(to) < stages_) {
            ready.push_back(rankOf(to, action.microBatch));
        }
    }

    void finish() {
        for (std::size_t rank = 0; rank < order_.ranks.size(); ++rank) {
            std::vector<StepList::Share> shares;
            for (std::size_t time = 0; time < stages_ * kPasses; ++time) {
                const std::int64_t count = counts_[rank * stages_ * kPasses + time];
                if (count > 0) {
                    shares.push_back({static_cast<std::uint32_t>(time), count});
                }
            }
            list_.work.push_back(std::move(shares));
            list_.inFlight.push_back(inFlight(order_.ranks[rank]));
        }
    }

    const ActionOrder& order_;
    bool atomic_;
    std::size_t stages_;
    std::size_t microBatches_;
    std::vector<std::uint16_t> ranks_;     ///< by half of the microbatches, and stage
    std::vector<std::uint32_t> forward_;   ///< by stage and microbatch: the step, or 0
    std::vector<std::uint32_t> backward_;  ///< of a backward, or the input gradient
    std::vector<std::size_t> next_;        ///< of each rank: its first action that has not run
    std::vector<std::int64_t> counts_;     ///< by rank and timeIndex
    StepList list_;
};

}  // namespace

Result<StepList> sortSteps(const ActionOrder& order, PairMode mode) {
    return StepSorter(order, mode).sort();
}

InFlight inFlight(const StageActions& actions) {
    InFlight now;
    InFlight most;
    for (const StageAction& action : actions) {
        switch (action.pass) {
            case Pass::Forward:
                ++now.peak;
                ++now.untilInput;
                break;
            case Pass::Backward:
                --now.peak;
                --now.untilInput;
                break;
            case Pass::InputGradient:
                --now.untilInput;
                ++now.pendingWeights;
                break;
            case Pass::WeightGradient:
                --now.peak;
                --now.pendingWeights;
                break;
        }
        most.peak = std::max(most.peak, now.peak);
        most.untilInput = std::max(most.untilInput, now.untilInput);
        most.pendingWeights = std::max(most.pendingWeights, now.pendingWeights);
    }
    return most;
}

}  // namespace fabricast
