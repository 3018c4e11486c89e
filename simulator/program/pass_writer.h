#pragma once
#include "planner/schedule/action_order.h"
#include "simulator/program/step_transfers.h"

#include <vector>

namespace fabricast {

/// This writes a rank's passes as its order has them, with the data-parallel transfers concurrent
/// with the first forward and the last gradient of each chunk.
class PassWriter {
public:
    /// `passes` are by timeIndex.
    PassWriter(const ActionOrder& order,
               std::vector<PassPieces> passes,
               StageOpWriter& writer,
               StepTransfers& transfers);

    /// What ended last of the action, which starts after what its rank did last, and `inputs`.
    StageOps write(std::size_t rank,
                   const StageAction& action,
                   const std::vector<StageOps>& inputs);

private:
    /// What one rank still has to run of a stage.
    struct Left {
        std::int64_t gradients = 0;
        bool begun = false;
    };
    [[nodiscard]] Left& leftOf(std::size_t rank, std::size_t stage) {
        return left_[rank * stages_ + stage];
    }

    StageOpWriter& writer_;
    StepTransfers& transfers_;
    std::size_t stages_;
    std::vector<PassPieces> passes_;
    std::vector<Left> left_;
};

/// The passes of every stage of an order, by timeIndex.
std::vector<PassPieces> passesOfOrder(const Scenario& scenario,
                                      const StepPieces& pieces,
                                      const ActionOrder& order,
                                      StepFlows& flows);

}  // namespace fabricast
