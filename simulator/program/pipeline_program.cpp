#include "simulator/program/pipeline_program.h"

#include "planner/estimate/pipeline_time.h"
#include "planner/schedule/order_kind.h"
#include "planner/schedule/step_list.h"

#include <algorithm>
#include <array>
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

SimOp passOp(std::int64_t stage, std::int64_t microBatch, Pass pass) {
    return {.microBatch = static_cast<std::int32_t>(microBatch),
            .stage = static_cast<std::int16_t>(stage),
            .kind = kindOf(pass)};
}

/// What one rank hands to another for a microbatch.
struct HandOver {
    SimTime duration;
    Bytes bytes;
};

HandOver handOverOf(const StepPieces& pieces) {
    double seconds = 0.0;
    std::int64_t bytes = 0;
    for (const StageTime& stage : pieces.stages) {
        for (const ChunkTime& chunk : stage.chunks) {
            seconds = std::max(seconds, chunk.sendSeconds);
        }
        for (const CommCall& call : stage.calls) {
            if (call.use == CommUse::StageExchange && call.op == CommOp::Send) {
                bytes = std::max(bytes, call.bytes());
            }
        }
    }
    return {simTime(Seconds(seconds)), Bytes(bytes)};
}

/// One rank runs all of a microbatch before the next one.
void addWithoutPipeline(const Scenario& scenario,
                        const StepPieces& pieces,
                        StageOpWriter& writer,
                        StepTransfers& transfers) {
    const ChunkTime& chunk = pieces.stages.front().chunks.front();
    const PassPieces forward = passPieces(chunk, Pass::Forward);
    const PassPieces backward = passPieces(chunk, Pass::Backward);
    const std::int64_t count = std::max<std::int64_t>(1, scenario.microBatches());
    for (std::int64_t microBatch = 0; microBatch < count; ++microBatch) {
        const SimOp there = passOp(0, microBatch, Pass::Forward);
        const SimOp back = passOp(0, microBatch, Pass::Backward);
        if (microBatch == 0) {
            transfers.firstForward(0, there, forward, {});
        } else {
            writer.pass(0, there, forward, {});
        }
        if (microBatch + 1 == count) {
            transfers.lastGradient(0, back, backward, {});
        } else {
            writer.pass(0, back, backward, {});
        }
    }
}

/// Writes the steps of an order, each after those that it waits for.
class PipelineWriter {
public:
    PipelineWriter(const StepPieces& pieces,
                   const ActionOrder& order,
                   const StepList& steps,
                   StageOpWriter& writer,
                   StepTransfers& transfers)
        : order_(order),
          steps_(steps),
          writer_(writer),
          transfers_(transfers),
          handOver_(handOverOf(pieces)),
          nextAction_(order.ranks.size()),
          made_(steps.steps.size() + 1) {
        std::vector<std::size_t> chunksSeen(pieces.stages.size(), 0);
        for (std::int64_t stage = 0; stage < order.stages(); ++stage) {
            const auto rank = static_cast<std::size_t>(order.rankOf(stage, 0));
            const ChunkTime& chunk = pieces.stages[rank].chunks.at(chunksSeen[rank]++);
            for (std::size_t pass = 0; pass < kPasses; ++pass) {
                passes_.push_back(passPieces(chunk, static_cast<Pass>(pass)));
            }
        }
    }

    void write(bool blocks) {
        for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
            writeStep(i + 1, steps_.steps[i], blocks);
        }
    }

private:
    void writeStep(std::size_t number, const OrderStep& step, bool blocks) {
        const std::size_t rank = step.rank;
        std::vector<StageOps> inputs;
        for (std::size_t half = 0; half < step.after.size(); ++half) {
            if (step.after[half] != 0 && !step.remote[half]) {
                inputs.push_back(made_[step.after[half]]);
            }
        }
        addHandOvers(step, blocks, inputs);
        const StageActions& actions = order_.ranks[rank];
        bool paired = true;
        while (paired) {
            const StageAction& action = actions[nextAction_[rank]++];
            paired = steps_.pairs && action.paired;
            made_[number] = writeAction(number, rank, action, inputs);
            inputs.clear();
        }
    }

    void addHandOvers(const OrderStep& step, bool blocks, std::vector<StageOps>& inputs) {
        const std::size_t rank = step.rank;
        for (std::size_t half = 0; half < step.after.size(); ++half) {
            if (step.after[half] == 0 || !step.remote[half]) {
                continue;
            }
            const std::size_t from = steps_.steps[step.after[half] - 1].rank;
            const StageOps received = writer_.add(rank,
                                                  {.duration = handOver_.duration,
                                                   .kind = SimKind::HandOver,
                                                   .stream = SimStream::Pipeline});
            const StageOps& made = made_[step.after[half]];
            writer_.wait(received, made);
            if (blocks) {  // only when the rank has nothing else to do, and all inputs are there
                writer_.wait(received, writer_.last(rank));
                for (std::size_t other = 0; other < step.after.size(); ++other) {
                    if (other != half && step.after[other] != 0) {
                        writer_.wait(received, made_[step.after[other]]);
                    }
                }
            }
            for (std::size_t member = 0; member < received.size(); ++member) {
                writer_.program().hop({.op = received[member],
                                       .made = made[member],
                                       .from = writer_.ranks().of(from)[member],
                                       .to = writer_.ranks().of(rank)[member],
                                       .bytes = handOver_.bytes});
            }
            inputs.push_back(received);
        }
    }

    StageOps writeAction(std::size_t number,
                         std::size_t rank,
                         const StageAction& action,
                         const std::vector<StageOps>& inputs) {
        const auto stage = static_cast<std::size_t>(action.stage);
        const PassPieces& pieces = passes_[timeIndex(stage, action.pass)];
        const SimOp what = passOp(action.stage, action.microBatch, action.pass);
        if (action.pass == Pass::Forward && steps_.firstForwardOfStage[stage] == number) {
            return transfers_.firstForward(rank, what, pieces, inputs);
        }
        const bool completes = action.pass == Pass::Backward || action.pass == Pass::WeightGradient;
        if (completes && steps_.lastGradientOfStage[stage] == number) {
            return transfers_.lastGradient(rank, what, pieces, inputs);
        }
        return writer_.pass(rank, what, pieces, inputs);
    }

    const ActionOrder& order_;
    const StepList& steps_;
    StageOpWriter& writer_;
    StepTransfers& transfers_;
    HandOver handOver_;
    std::vector<std::size_t> nextAction_;  ///< by rank
    std::vector<StageOps> made_;           ///< by number of step: what it ends with
    std::vector<PassPieces> passes_;       ///< by timeIndex
};

}  // namespace

Result<void> addPasses(const Scenario& scenario,
                       const StepPieces& pieces,
                       StageOpWriter& writer,
                       StepTransfers& transfers) {
    if (scenario.layout.pp == 1) {
        addWithoutPipeline(scenario, pieces, writer, transfers);
        return {};
    }
    FABRICAST_ASSIGN(const FrameworkOrder chosen, pipelineOrderOf(scenario));
    const ActionOrder order = actionOrder(chosen.kind, chosen.shape);
    FABRICAST_ASSIGN(const StepList steps, sortSteps(order, PairMode::Atomic));
    PipelineWriter(pieces, order, steps, writer, transfers)
        .write(receiveOf(scenario) == Receive::Block);
    return {};
}

}  // namespace fabricast
