#include "simulator/program/pipeline_program.h"

#include "planner/estimate/pipeline_time.h"
#include "planner/schedule/order_kind.h"
#include "planner/schedule/step_list.h"
#include "simulator/program/pass_writer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

/// All stage transfers have the same size.
HandOver handOverOf(const StepPieces& pieces, const SendTimes& times, std::int64_t siteRanks) {
    std::int64_t bytes = 0;
    for (const StageTime& stage : pieces.stages) {
        for (const CommCall& call : stage.calls) {
            if (call.use == CommUse::StageExchange && call.op == CommOp::Send) {
                bytes = std::max(bytes, call.bytes());
            }
        }
    }
    return {.duration = simTime(Seconds(times.near)),
            .bytes = Bytes(bytes),
            .far = simTime(Seconds(times.far)),
            .siteRanks = static_cast<std::size_t>(siteRanks)};
}

/// Without a pipeline a rank runs all of a microbatch before the next one.
ActionOrder oneByOne(const Scenario& scenario) {
    const std::int64_t count = std::max<std::int64_t>(1, scenario.microBatches());
    ActionOrder order{.shape = {.ranks = 1, .chunks = 1, .microBatches = count}, .ranks = {{}}};
    for (std::int64_t i = 0; i < count; ++i) {
        const auto microBatch = static_cast<std::int32_t>(i);
        order.ranks.front().push_back({0, microBatch, Pass::Forward});
        order.ranks.front().push_back({0, microBatch, Pass::Backward});
    }
    return order;
}

/// The actions of all stages in the stack's own order.
struct StackOrder {
    FrameworkOrder chosen;  ///< of a pipeline
    ActionOrder actions;
};

Result<StackOrder> orderOf(const Scenario& scenario) {
    if (scenario.layout.pp == 1) {
        return StackOrder{.chosen = {}, .actions = oneByOne(scenario)};
    }
    FABRICAST_ASSIGN(const FrameworkOrder chosen, pipelineOrderOf(scenario));
    return StackOrder{.chosen = chosen, .actions = actionOrder(chosen.kind, chosen.shape)};
}

/// Megatron posts its transfers and continues with virtual stages, unless a setting turns
/// that off.
Result<CommProgram> callsOf(const Scenario& scenario, const FrameworkOrder& order) {
    if (scenario.layout.pp == 1) {
        return fail(Error::Code::BadInput,
                    "--calls",
                    "without pipeline stages there are no stage transfers",
                    "leave --calls out, or layout.pp=2");
    }
    FABRICAST_ASSIGN(const Framework framework, frameworkOf(scenario.stack));
    const P2pMode mode = scenario.layout.vpp > 1 ? P2pMode::Overlap : P2pMode::Batch;
    return commProgram(framework, order, mode);
}

/// Writes the steps of an order, each after those that it waits for.
class PipelineWriter {
public:
    PipelineWriter(const ActionOrder& order,
                   const StepList& steps,
                   HandOver handOver,
                   StageOpWriter& writer,
                   PassWriter& passes)
        : order_(order),
          steps_(steps),
          handOver_(handOver),
          writer_(writer),
          passes_(passes),
          nextAction_(order.ranks.size()),
          made_(steps.steps.size() + 1),
          sent_(steps.steps.size() + 1),
          lastSent_(order.ranks.size()) {}

    /// A stop is noticed within some hundred passes.
    Result<void> write(bool blocks, const std::stop_token& stop) {
        constexpr std::size_t kStepsPerLook = 64;
        for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
            if (i % kStepsPerLook == 0 && stop.stop_requested()) {
                return fail(Error::Code::Stopped, "", "stopped before it was done");
            }
            writeStep(i + 1, steps_.steps[i], blocks);
        }
        return {};
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
        if (blocks) {
            addReceives(step, inputs);
        } else {
            addArrivals(step, inputs);
        }
        const StageActions& actions = order_.ranks[rank];
        bool paired = true;
        while (paired) {
            const StageAction& action = actions[nextAction_[rank]++];
            paired = steps_.pairs && action.paired;
            made_[number] = passes_.write(rank, action, inputs);
            inputs.clear();
        }
        if (!blocks) {
            addSends(number, step);
        }
    }

    /// What has gone from a rank to another, once it was made.
    StageOps handOver(const StageOps& made, std::size_t from, std::size_t to) {
        StageOps received = writer_.add(to, handOver_.op(from, to, writer_.flows()));
        writer_.wait(received, made);
        for (std::size_t member = 0; member < received.size(); ++member) {
            writer_.program().hop({.op = received[member],
                                   .made = made[member],
                                   .from = writer_.ranks().of(from)[member],
                                   .to = writer_.ranks().of(to)[member],
                                   .bytes = handOver_.bytes});
        }
        writer_.handOver(from, received);
        return received;
    }

    /// Only when the rank has nothing else to do, and all inputs have arrived.
    void addReceives(const OrderStep& step, std::vector<StageOps>& inputs) {
        for (std::size_t half = 0; half < step.after.size(); ++half) {
            if (step.after[half] == 0 || !step.remote[half]) {
                continue;
            }
            const std::size_t from = steps_.steps[step.after[half] - 1].rank;
            const StageOps received = handOver(made_[step.after[half]], from, step.rank);
            writer_.wait(received, writer_.last(step.rank));
            for (std::size_t other = 0; other < step.after.size(); ++other) {
                if (other != half && step.after[other] != 0) {
                    writer_.wait(received, made_[step.after[other]]);
                }
            }
            inputs.push_back(received);
        }
    }

    /// What was sent as soon as it was made.
    void addArrivals(const OrderStep& step, std::vector<StageOps>& inputs) const {
        for (std::size_t half = 0; half < step.after.size(); ++half) {
            if (step.after[half] != 0 && step.remote[half]) {
                const bool isForward =
                    step.times[half] % kPasses == static_cast<std::size_t>(Pass::Forward);
                inputs.push_back(sent_[step.after[half]][isForward ? 0 : 1]);
            }
        }
    }

    /// A rank sends its outputs one after another.
    void addSends(std::size_t number, const OrderStep& step) {
        for (std::size_t kind = 0; kind < step.to.size(); ++kind) {
            if (step.to[kind] == step.rank) {
                continue;
            }
            const StageOps sent = handOver(made_[number], step.rank, step.to[kind]);
            StageOps& before = lastSent_[step.rank];
            if (!before.empty()) {
                writer_.wait(sent, before);
            }
            before = sent;
            sent_[number][kind] = sent;
        }
    }

    const ActionOrder& order_;
    const StepList& steps_;
    HandOver handOver_;
    StageOpWriter& writer_;
    PassWriter& passes_;
    std::vector<std::size_t> nextAction_;        ///< by rank
    std::vector<StageOps> made_;                 ///< by number of step: what it ends with
    std::vector<std::array<StageOps, 2>> sent_;  ///< likewise: its activations and gradients
    std::vector<StageOps> lastSent_;             ///< by rank
};

/// "--global-batch 1024", of which the ops are about so many; empty where they are too many of one
/// microbatch already.
std::string batchOfOps(const Scenario& scenario, double ops, double most) {
    constexpr double kSurely = 0.9;
    const double batches = static_cast<double>(scenario.microBatches()) * most / ops * kSurely;
    const std::int64_t samples =
        static_cast<std::int64_t>(batches) * scenario.layout.microBatch * scenario.layout.dp;
    return samples > 0 ? "--global-batch " + std::to_string(samples) : "";
}

}  // namespace

SimOp HandOver::op(std::size_t from, std::size_t to, StepFlows& flows) const {
    const bool isFar = siteRanks > 0 && from / siteRanks != to / siteRanks;
    const SimTime takes = isFar ? far : duration;
    const SentBytes sent{.bytes = static_cast<double>(bytes.count()),
                         .seconds = seconds(takes).count()};
    return {.duration = takes,
            .kind = SimKind::HandOver,
            .stream = SimStream::Pipeline,
            .flow = flows.handOver(from, to, sent)};
}

Result<std::size_t> countPassOps(const Scenario& scenario,
                                 const StepPieces& pieces,
                                 const StageRanks& ranks) {
    FABRICAST_ASSIGN(const StackOrder order, orderOf(scenario));
    StepFlows none;
    const std::vector<PassPieces> passes = passesOfOrder(scenario, pieces, order.actions, none);
    std::size_t ops = 0;
    for (std::size_t rank = 0; rank < order.actions.ranks.size(); ++rank) {
        for (const StageAction& action : order.actions.ranks[rank]) {
            const auto stage = static_cast<std::size_t>(action.stage);
            ops += passes[timeIndex(stage, action.pass)].size() * ranks.of(rank).size();
        }
    }
    return ops;
}

Result<void> checkPasses(const Scenario& scenario,
                         const StepPieces& pieces,
                         const StageRanks& ranks,
                         std::size_t most) {
    FABRICAST_ASSIGN(const std::size_t ops, countPassOps(scenario, pieces, ranks));
    if (ops <= most) {
        return {};
    }
    const bool isQuick = most < kMostPassOps;
    const std::string batch =
        batchOfOps(scenario, static_cast<double>(ops), static_cast<double>(most));
    return fail(Error::Code::Unsupported,
                batch.empty() ? "simulate" : "workload.global_batch",
                std::to_string(ops) + " ops in the layers of all passes are more than the " +
                    std::to_string(most) + " that are simulated one by one" +
                    (isQuick ? " and played again, or written, without --long" : ""),
                (batch.empty() ? "a simpler layout" : batch + ", or a larger micro_batch") +
                    (isQuick && ops <= kMostPassOps ? ", or --long" : ""));
}

Result<void> addPasses(const PassesAsk& ask, StageOpWriter& writer, StepTransfers& transfers) {
    const Scenario& scenario = ask.scenario;
    const StepPieces& pieces = ask.pieces;
    FABRICAST_ASSIGN(const StackOrder stackOrder, orderOf(scenario));
    const ActionOrder& order = stackOrder.actions;
    PassWriter passes(
        order, passesOfOrder(scenario, pieces, order, writer.flows()), writer, transfers);
    FABRICAST_ASSIGN(const std::int64_t siteRanks, ranksAtSite(scenario));
    if (ask.handOvers == HandOvers::Framework) {
        FABRICAST_ASSIGN(const CommProgram calls, callsOf(scenario, stackOrder.chosen));
        const HandOver handOver = handOverOf(pieces, sendTimes(pieces.stages), siteRanks);
        return addCalls(calls, handOver, writer, passes);
    }
    FABRICAST_ASSIGN(const StepList steps, sortSteps(order, PairMode::Atomic));
    const HandOver handOver = handOverOf(pieces, handOverTimes(scenario, pieces.stages), siteRanks);
    return PipelineWriter(order, steps, handOver, writer, passes)
        .write(receiveOf(scenario) == Receive::Block, ask.stop);
}

}  // namespace fabricast
