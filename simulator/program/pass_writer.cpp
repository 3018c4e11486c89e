#include "simulator/program/pass_writer.h"

#include "planner/estimate/data_parallel_time.h"
#include "planner/schedule/step_list.h"

#include <cmath>
#include <utility>

namespace fabricast {
namespace {

SimKind kindOf(Pass pass) {
    switch (pass) {
        case Pass::Forward:
            return SimKind::Forward;
        case Pass::Backward:
            return SimKind::Backward;
        case Pass::InputGradient:
            return SimKind::InputGradient;
        case Pass::WeightGradient:
            break;
    }
    return SimKind::WeightGradient;
}

PassFlows passFlows(std::size_t stage, const PassSent& sent, StepFlows& flows) {
    return {.tensor = flows.collective(stage, SimStream::Tensor, sent.tensor),
            .context = flows.collective(stage, SimStream::Expert, sent.context),
            .expert = flows.collective(stage, SimStream::Expert, sent.expert),
            .shard = flows.collective(stage, SimStream::Data, sent.shard)};
}

/// Whether weights' gradients are complete after it.
bool completes(Pass pass) {
    return pass == Pass::Backward || pass == Pass::WeightGradient;
}

}  // namespace

PassWriter::PassWriter(const ActionOrder& order,
                       std::vector<PassPieces> passes,
                       StageOpWriter& writer,
                       StepTransfers& transfers)
    : writer_(writer),
      transfers_(transfers),
      stages_(static_cast<std::size_t>(order.stages())),
      passes_(std::move(passes)),
      left_(order.ranks.size() * stages_) {
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        for (const StageAction& action : order.ranks[rank]) {
            leftOf(rank, static_cast<std::size_t>(action.stage)).gradients +=
                completes(action.pass) ? 1 : 0;
        }
    }
}

StageOps PassWriter::write(std::size_t rank,
                           const StageAction& action,
                           const std::vector<StageOps>& inputs) {
    const auto stage = static_cast<std::size_t>(action.stage);
    const PassPieces& pieces = passes_[timeIndex(stage, action.pass)];
    const SimOp what{.microBatch = action.microBatch,
                     .stage = static_cast<std::int16_t>(action.stage),
                     .kind = kindOf(action.pass)};
    Left& left = leftOf(rank, stage);
    if (action.pass == Pass::Forward && !std::exchange(left.begun, true)) {
        return transfers_.firstForward(rank, what, pieces, inputs);
    }
    if (completes(action.pass) && --left.gradients == 0) {
        return transfers_.lastGradient(rank, what, pieces, inputs);
    }
    return writer_.pass(rank, what, pieces, inputs);
}

std::vector<PassPieces> passesOfOrder(const Scenario& scenario,
                                      const StepPieces& pieces,
                                      const ActionOrder& order,
                                      StepFlows& flows) {
    std::vector<PassPieces> passes;
    std::vector<std::size_t> chunksSeen(pieces.stages.size(), 0);
    for (std::int64_t stage = 0; stage < order.stages(); ++stage) {
        const auto rank = static_cast<std::size_t>(order.rankOf(stage, 0));
        const std::size_t number = chunksSeen[rank]++;
        const StageTime& time = pieces.stages[rank];
        const auto& sent = pieces.sent[rank].chunks.at(number);
        const auto layers =
            static_cast<int>(std::lround(layersOfChunk(scenario, time.chunks.size())));
        for (std::size_t pass = 0; pass < kPasses; ++pass) {
            const bool forward = static_cast<Pass>(pass) == Pass::Forward;
            passes.push_back(passPieces(time.chunks.at(number),
                                        static_cast<Pass>(pass),
                                        layers,
                                        passFlows(rank, sent[forward ? 0 : 1], flows)));
        }
    }
    return passes;
}

}  // namespace fabricast
